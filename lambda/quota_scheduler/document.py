"""JSON documents: decode one and check its members, gathering every problem with its JSON path.

Nothing is repaired and nothing is dropped: what cannot be used is a problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from quota_scheduler.errors import DocumentError, Problem
from quota_scheduler.timestamp import parse_timestamp

LARGEST = 2**31 - 1
"""Largest whole number of the service's Integer type."""

_DEEPEST = 100


class _Repeated(dict[str, object]):
    """An object of a document in which a member appears twice; such an object is always a problem."""

    repeated: tuple[str, ...] = ()


class Problems(list[Problem]):
    """The problems found so far."""

    def add(self, path: str, message: str) -> None:
        """Note one more problem."""
        self.append(Problem(path, message))

    def raise_any(self) -> None:
        """End with all problems, if there are any.

        Raises:
            DocumentError: there are.
        """
        if self:
            raise DocumentError(self)


def decode(document: object) -> object:
    """Decode a JSON document; what is decoded already is given back.

    Args:
        document: text, UTF-8 bytes, or a decoded document.

    Returns:
        The decoded document. Objects in which a member is repeated are found by `check_members`.

    Raises:
        DocumentError: it is no JSON, or nested deeper than any document of this package can be.
    """
    if not isinstance(document, (str, bytes, bytearray)):
        return document
    import json  # here and below: what comes decoded needs none

    try:
        text = document if isinstance(document, str) else bytes(document).decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        path = _path_of_depth(text)
        message = f"nested deeper than {_DEEPEST} levels; a document of this kind has at most 4"
        raise DocumentError([Problem(path, message)]) from None
    except UnicodeDecodeError as error:
        raise DocumentError([Problem("$", f"not UTF-8: byte {error.start} cannot be read")]) from None
    except json.JSONDecodeError as error:
        what = _first_lower(error.msg).removesuffix(" at")
        where = f"line {error.lineno} column {error.colno}"
        raise DocumentError([Problem("$", f"not JSON: {what} at {where}")]) from None
    except ValueError:
        raise DocumentError([Problem("$", "not usable: it has a number of more than 4,300 digits")]) from None


def child(path: str, name: str) -> str:
    """Give the path of a member: `$.shares.research`, or `$.environment["ml.g5.xlarge"]` where a dot would mislead."""
    plain = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return f"{path}.{name}" if plain else f"{path}[{_quoted(name)}]"


def shown(value: object) -> str:
    """Show a value of a document in a message, shortly."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, str):
        return _quoted(value if len(value) <= 60 else value[:60] + "…")
    if value is None or isinstance(value, (bool, float)):
        return _quoted(value)
    text = str(value) if not isinstance(value, int) or abs(value) < 10**30 else "a number of more than 30 digits"
    return text if len(text) <= 60 else text[:60] + "…"


def nearest(name: str, known: tuple[str, ...]) -> str:
    """Give `; did you mean …?` for a near miss, else nothing."""
    from difflib import get_close_matches  # only on the way to an error

    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def check_members(
    value: object, path: str, problems: Problems, known: tuple[str, ...], required: tuple[str, ...] = ()
) -> Mapping[str, object] | None:
    """Check that a value is an object with known members and with all that are required.

    Returns:
        The object, or None if it is none.
    """
    if not isinstance(value, Mapping):
        problems.add(path, f"must be an object, got {shown(value)}")
        return None
    check_repeated(value, path, problems)
    for name in value:
        if name not in known:
            hint = nearest(name, known) if isinstance(name, str) else ""
            problems.add(child(path, str(name)), f"unknown member{hint}; known are {', '.join(known)}")
    for name in required:
        if name not in value:
            problems.add(path, f"member {name} is missing")
    return value


def check_repeated(value: object, path: str, problems: Problems) -> None:
    """Note the members that an object has twice."""
    if isinstance(value, _Repeated):
        for name in value.repeated:
            problems.add(child(path, name), "given more than once")


def check_version(root: Mapping[str, object], problems: Problems, version: int) -> None:
    """Check the version of a document, where it has one."""
    if "version" in root:
        given = root["version"]
        if type(given) is not int or given != version:
            problems.add("$.version", f"must be {version}, got {shown(given)}")


def is_version(given: object, version: int) -> bool:
    """Whether a document that goes through CloudFormation has this version: the number, or the text it may become."""
    return (type(given) is int and given == version) or given == str(version)


def check_whole(value: object, path: str, problems: Problems, least: int, most: int = LARGEST) -> int:
    """Check a whole number; a problem gives the least allowed."""
    if type(value) is int:
        if least <= value <= most:
            return value
        problems.add(path, f"must be {least} to {most}, got {shown(value)}")
    else:
        problems.add(path, f"must be a whole number, got {shown(value)}")
    return least


def check_text(value: object, path: str, problems: Problems) -> str:
    """Check a text that is not empty and can be written again as UTF-8."""
    if not isinstance(value, str):
        problems.add(path, f"must be a string, got {shown(value)}")
    elif not value:
        problems.add(path, "must not be empty")
    elif not value.isascii() and not _is_encodable(value):
        problems.add(path, "has half of a surrogate pair, which cannot be written as UTF-8")
    else:
        return value
    return ""


def check_choice(value: object, path: str, problems: Problems, choices: tuple[str, ...]) -> str:
    """Check one of a few words; a problem gives the first."""
    if isinstance(value, str) and value in choices:
        return value
    hint = nearest(value, choices) if isinstance(value, str) else ""
    problems.add(path, f"must be one of {', '.join(choices)}, got {shown(value)}{hint}")
    return choices[0]


def check_flag(value: object, path: str, problems: Problems) -> bool:
    """Check true or false; a problem gives false."""
    if value is True or value is False:
        return bool(value)
    problems.add(path, f"must be true or false, got {shown(value)}")
    return False


def check_time(value: object, path: str, problems: Problems) -> int:
    """Check a time; a problem gives 0."""
    if isinstance(value, str):
        try:
            return parse_timestamp(value)
        except ValueError as error:
            problems.add(path, str(error))
    else:
        problems.add(path, f"must be a time like 2026-11-29T12:00:00Z, got {shown(value)}")
    return 0


def check_amounts(value: object, path: str, problems: Problems, least: int) -> Mapping[str, int]:
    """Check an object of instance types and whole amounts; what is a problem is left out."""
    if not isinstance(value, Mapping):
        problems.add(path, f"must be an object of instance types and amounts, got {shown(value)}")
        return MappingProxyType({})
    check_repeated(value, path, problems)
    amounts = {}
    for name, amount in value.items():
        if check_text(name, child(path, str(name)), problems):
            amounts[name] = check_whole(amount, child(path, name), problems, least)
    return MappingProxyType(amounts)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    names = [name for name, _ in pairs]
    marked = _Repeated(members)
    marked.repeated = tuple(name for name in members if names.count(name) > 1)
    return marked


def _quoted(value: object) -> str:
    """Write a simple value as JSON does."""
    import json

    return json.dumps(value, ensure_ascii=False)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _first_lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _path_of_depth(text: str) -> str:
    """Find the member in which a text is nested too deep, with a scan that needs no recursion."""
    steps: list[str | int] = []  # the place inside each open object (its member) or list (its index)
    position = 0
    last = ""
    while position < len(text) and len(steps) <= _DEEPEST:
        sign = text[position]
        if sign == '"':
            end = _end_of_string(text, position)
            last = text[position + 1 : end]
            position = end
        elif sign == ":" and steps:
            steps[-1] = last
        elif sign in "{[":
            steps.append("" if sign == "{" else 0)
        elif sign in "}]" and steps:
            steps.pop()
        elif sign == "," and steps and isinstance(steps[-1], int):
            steps[-1] += 1
        position += 1
    path = "$"
    for step in steps[:4]:
        path = f"{path}[{step}]" if isinstance(step, int) else child(path, step)
    return path


def _end_of_string(text: str, start: int) -> int:
    """Give the position of the quotation mark that ends the string which begins at `start`."""
    end = text.find('"', start + 1)
    while end > 0:
        first = end
        while text[first - 1] == "\\":
            first -= 1
        if (end - first) % 2 == 0:
            return end
        end = text.find('"', end + 1)
    return len(text)
