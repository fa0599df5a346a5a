"""Faults."""

LOST_RESPONSE = "x-quota-local-lost"


class LostResponseError(Exception): ...


class Faults:
    def __init__(self, log): ...
