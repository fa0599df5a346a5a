"""A queue played through time. Pure and deterministic: no account, no clock, no randomness.

`trace` is what it starts from, `play` plays it, `run` and `document` are what came of it.
"""
