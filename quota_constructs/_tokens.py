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
    if not (has_member(value, "resolve") and has_member(value, "to_string")):
        return False
    from aws_cdk import Token

    return Token.is_unresolved(value)


def has_member(value: object, name: str) -> bool:
    """Say whether an object has a member; a class has none of its objects' members."""
    return not isinstance(value, type) and hasattr(value, name)


def as_number(value: object) -> float:
    """Give a value where only numbers can stand: a token of another kind becomes a token for a number."""
    if isinstance(value, int | float):
        return value
    from aws_cdk import Token

    return Token.as_number(value)


def has_token(value: object) -> bool:
    """Say whether a value holds a token at any depth."""
    if isinstance(value, dict):
        return any(has_token(key) or has_token(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return any(has_token(item) for item in value)
    return is_token(value)
