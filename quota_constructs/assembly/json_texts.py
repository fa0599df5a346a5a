"""JSON texts in a template: values that CloudFormation sees as one text, mostly joined from pieces."""

from __future__ import annotations

from quota_constructs._json_with_holes import parse_with_holes
from quota_constructs.assembly.errors import AssemblyError
from quota_constructs.assembly.values import Partial, Value, joined_text


def parse_text(text: Value, what: str) -> Value:
    """Parse a JSON text as far as it is known before a deployment.

    Args:
        text: The text, worked out; where a piece is not known, a `Partial`.
        what: What it is, for the message, such as `the share of Demo/QS1`.

    Returns:
        The document; what is not known stands in it as an `Unknown`, a `Reference` or a `Partial`.

    Raises:
        AssemblyError: It is no JSON.
    """
    pieces = text.parts if isinstance(text, Partial) else (text,)
    try:
        return parse_with_holes(pieces, lambda parts: joined_text(list(parts)))
    except (ValueError, RecursionError) as error:
        raise AssemblyError(f"{what} is not JSON: {error}") from error
