"""The live account as values: queues and jobs as a queue state, and what a deployment would do to them.

The guard, the command line and the synthesis report ask the same functions. It reads; only the handler changes things.
"""
