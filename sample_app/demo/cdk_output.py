"""Which lines of the cdk command line's output a reader of the walkthrough needs, and in which order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_EVENT = re.compile(
    r"^\S+ +\| .*\| (?P<status>[A-Z_]+) +\| (?P<type>[\w:]+) +\| (?P<path>\S+)(?: \((?P<logical_id>\w+)\))?"
)
_ORDER = (
    "Custom::QuotaGuard",
    "AWS::Batch::ServiceEnvironment",
    "AWS::Batch::SchedulingPolicy",
    "AWS::Batch::JobQueue",
    "Custom::QuotaShare",
    "AWS::CloudFormation::Stack",
)
"""The types that are shown, each behind what it depends on."""
_RESOURCE = re.compile(r"\(\S+::\S+ \w+\)$")
"""Ends the line that names the resource an error is of."""
_LAST = "  CloudWatch Log Stream"
_NOISE = re.compile(
    r"^$|^\s*\{|^\s*Logs|start: |success: |Synthesis time|Deployment time|Total time|NOTICES|Stack ARN|^arn:"
    r"|^Source Location|user code|CloudTrail delivery|creating CloudFormation changeset|feature flags"
    r"|current credentials|^Outputs:|Acknowledge with|^\s+\S+ aws-cdk-lib\."
)


class CdkOutput:
    """Leaves out assets, repeated reasons and resources that have nothing to do with quotas; one object a command.

    The command line shows the reason of a failure three times: in the event, in a list of failed resources, and in the
    closing error. Only the last is kept, without the line breaks that the command line puts into it: it is the one
    people read. The events come in the order in which the local
    cloud reports them, with a counter that it does not fit, and unchanged resources are among them; they are shown at
    the end of the command, each resource once, behind what it depends on.

    Args:
        unchanged: Gives the logical ids of resources that an update leaves as they are; it is asked at the end.
    """

    def __init__(self, unchanged: Callable[[], Collection[str]] = tuple) -> None:
        self._unchanged = unchanged
        self._repeating = False
        self._error: list[str] | None = None
        self._ended: dict[str, tuple[str, str, str]] = {}

    def shown(self, line: str | None) -> tuple[str, ...]:
        """Return what to show once the output has come to this line, or to its end."""
        if line is None:
            return tuple(self._error or ())
        if self._error is not None:
            _add_to_error(self._error, line)
            return ()
        event = _EVENT.match(line)
        if event is not None:
            self._repeating = event["status"].endswith("_FAILED")
            self._keep(event["logical_id"] or event["path"], event["status"], event["type"], event["path"])
            return ()
        if line.startswith("Failed resources:"):
            self._repeating = True
        elif line.startswith(("❌", "✅")):
            self._repeating = False
            self._error = [] if line.startswith("❌") else None
            return (*self._events(), line)
        return () if self._repeating or _NOISE.search(line) else (line,)

    def _keep(self, logical_id: str, status: str, resource_type: str, path: str) -> None:
        """Keep how a resource ended; one that failed is not made good by what the rollback says of it."""
        before = self._ended.get(logical_id)
        has_failed = before is not None and before[0].endswith("_FAILED")
        if resource_type in _ORDER and status.endswith(("_COMPLETE", "_FAILED")) and not has_failed:
            self._ended[logical_id] = (status, resource_type, path)

    def _events(self) -> tuple[str, ...]:
        unchanged = self._unchanged()
        ended = [
            told
            for logical_id, told in self._ended.items()
            if told[0] != "UPDATE_COMPLETE" or logical_id not in unchanged
        ]
        self._ended.clear()
        ended.sort(key=lambda told: (_rank(told[1], is_going=told[0].startswith("DELETE")), told[2]))
        widths = [max(map(len, column)) for column in zip(*ended, strict=True)][:2]
        return tuple(f"  {status:<{widths[0]}}  {kind:<{widths[1]}}  {path}" for status, kind, path in ended)


def _rank(resource_type: str, *, is_going: bool) -> int:
    """Give a type's place; what goes does so in the opposite order, the stack last in either."""
    place = _ORDER.index(resource_type)
    last = len(_ORDER) - 1
    return last - 1 - place if is_going and place < last else place


def _add_to_error(error: list[str], line: str) -> None:
    """Put together what the command line has broken: it goes on behind two spaces, lines of the reason have none."""
    if _NOISE.search(line):
        return
    goes_on = line.startswith("  ") and not line.startswith(_LAST)
    if goes_on and error and not _RESOURCE.search(error[-1]):
        error[-1] += f" {line.strip()}"
    else:
        error.append(f"  {line.strip()}")
