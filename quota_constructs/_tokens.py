"""Telling values that are known at synth from those that CloudFormation fills in."""

_STRING_MARK = "${Token["
_LIST_MARK = "#{Token["
# Number tokens are the negative doubles that begin with the bits 0xFBFF (aws_cdk.Token, "Represent as number").
_FIRST_NUMBER_TOKEN = -1.9375 * 2.0**960
_BEYOND_NUMBER_TOKENS = -(2.0**961)


def is_token(value: object) -> bool:
    """Say whether a value stands for one that is not known yet.

    Known from the encoding alone where that decides, so that plain values cost no call into the CDK.
    """
    if value is None or isinstance(value, bool):
        return False
    if isinstance(value, str):
        return _STRING_MARK in value or _LIST_MARK in value
    if isinstance(value, int | float):
        return _BEYOND_NUMBER_TOKENS < value <= _FIRST_NUMBER_TOKEN
    if isinstance(value, type) or not (hasattr(value, "resolve") and hasattr(value, "creation_stack")):
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
