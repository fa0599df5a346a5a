"""From an assembly to the plan of its deployment: what the command line and the synthesis report both ask.

`live` asks the account, `offline` a snapshot. Nothing here is printed, and nothing in the account is changed.
"""
