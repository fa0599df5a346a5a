"""Telling values that are known at synth from those that CloudFormation fills in."""

_STRING_MARK = "${Token["
_LIST_MARK = "#{Token["
# Encoded number tokens are the negative doubles below -1.888e289 (aws_cdk.Token, "Represent as number").
_NUMBER_TOKENS_BELOW = -1e280


def is_token(value: object) -> bool:
    """Say whether a value stands for one that is not known yet.

    Known from the encoding alone where that decides, so that plain values cost no call into the CDK.
    """
    if value is None or isinstance(value, bool):
        return False
    if isinstance(value, str):
        return _STRING_MARK in value or _LIST_MARK in value
    if isinstance(value, int | float):
        return value < _NUMBER_TOKENS_BELOW
    if isinstance(value, list | tuple | dict | set):
        return False
    from aws_cdk import Token

    return Token.is_unresolved(value)


def has_token(value: object) -> bool:
    """Say whether a value holds a token at any depth."""
    if isinstance(value, dict):
        return any(has_token(key) or has_token(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return any(has_token(item) for item in value)
    return is_token(value)
