"""What an ARN of AWS Batch looks like, and what is wrong with one that does not.

A wildcard in an ARN that is imported would become a right over every queue. Of an ARN with tokens, the part that can be
seen must fit.

Source: Service Authorization Reference, AWS Batch, Resource types; AWS General Reference, Amazon Resource Names.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = "<name>"
_QUEUE_NAME = "<queue name>"
_RESOURCES = {
    "job queue": ("job-queue", _NAME),
    "quota share": ("job-queue", _QUEUE_NAME, "quota-share", _NAME),
    "service environment": ("service-environment", _NAME),
    "scheduling policy": ("scheduling-policy", _NAME),
}
_TOKEN = re.compile(r"[$#]\{Token\[[^]]*\]\}")
_HOLE = "\0"  # stands for a token
_WRITTEN = re.compile(r"[A-Za-z0-9:/_\0-]*")
_PARTS = (
    ("prefix", re.compile("arn"), "arn"),
    ("partition", re.compile(r"aws(-[a-z]+)*"), "aws and its like"),
    ("service", re.compile("batch"), "batch"),
    ("Region", re.compile(r"[a-z]{2,4}(-[a-z]+)+-\d{1,2}"), "names such as eu-west-1"),
    ("account", re.compile(r"\d{12}"), "12 digits"),
)
_NAME_FORM = re.compile(r"[A-Za-z0-9_-]{1,128}")
# Region names by their beginning; all others are of the partition aws.
_PARTITIONS = {
    "cn-": "aws-cn",
    "us-gov-": "aws-us-gov",
    "us-iso-": "aws-iso",
    "us-isob-": "aws-iso-b",
    "eu-isoe-": "aws-iso-e",
    "us-isof-": "aws-iso-f",
    "eusc-": "aws-eusc",
}


def form(kind: str) -> str:
    """Give the form of the ARNs of a kind."""
    return f"arn:<partition>:batch:<region>:<account>:{'/'.join(_RESOURCES[kind])}"


def faults(arn: str, kind: str) -> list[str]:
    """Say what is wrong with an ARN.

    Args:
        arn: The ARN; may hold tokens.
        kind: What it should name, for example `job queue`.

    Returns:
        What is wrong, in a few words each; empty when nothing is.
    """
    text = _TOKEN.sub(_HOLE, arn)
    if not _WRITTEN.fullmatch(text):
        return ["it may hold letters, digits, hyphens and underscores, and no wildcard"]
    parts = text.split(":", len(_PARTS))
    found = list(_of_parts(parts))
    if len(parts) > len(_PARTS):
        found += _of_place(parts[1], parts[3])
        resource = parts[-1]
    elif _HOLE in text and not text.startswith("arn:"):
        resource = parts[-1]
    else:  # the CDK takes an ARN to pieces that begins like one
        return [*found, "it has too few parts"]
    if not _fits(resource.split("/"), _RESOURCES[kind]):
        found.append(f"{resource.replace(_HOLE, '<token>')!r} names no {kind}")
    return found


def _of_parts(parts: list[str]) -> "Iterator[str]":
    """Compare the parts up to a token that may hold several."""
    whole = len(parts) > len(_PARTS)
    for part, (name, allowed, words) in zip(parts, _PARTS, strict=False):
        if _HOLE in part:
            if not whole:
                return
        elif not allowed.fullmatch(part):
            yield f"its {name} is {part!r}, allowed is {words}"


def _of_place(partition: str, region: str) -> "Iterator[str]":
    if _HOLE in partition + region or not region:
        return
    own = next((name for start, name in _PARTITIONS.items() if region.startswith(start)), "aws")
    if own != partition and (own != "aws" or partition in _PARTITIONS.values()):
        yield f"its Region {region} is of the partition {own}, not of {partition}"


def _fits(segments: list[str], wanted: tuple[str, ...]) -> bool:
    """Say whether a resource is of a form, or may be once its tokens are known; a token may hold several segments."""
    holes = [place for place, segment in enumerate(segments) if _HOLE in segment]
    if not holes:
        return len(segments) == len(wanted) and all(map(_is, segments, wanted))
    before, after = segments[: holes[0]], segments[holes[-1] + 1 :]
    return (
        len(segments) <= len(wanted)
        and all(map(_is, before, wanted))
        and all(map(_is, reversed(after), reversed(wanted)))
    )


def _is(segment: str, wanted: str) -> bool:
    return bool(_NAME_FORM.fullmatch(segment)) if wanted in (_NAME, _QUEUE_NAME) else segment == wanted
