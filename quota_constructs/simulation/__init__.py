"""A queue played through time: what it starts from (`trace`), how it is played (`play`), what came of it (`document`).

Pure and deterministic: no account, no clock, no randomness.
"""
