"""Which lines of the cdk command line's output a reader of the walkthrough needs."""

from __future__ import annotations

import re

_EVENT = re.compile(r"^\S+ +\| +(\d+/\d+ +\| )?.*\| (?P<status>[A-Z_]+) +\| (?P<type>[\w:]+) +\|")
_OURS = ("Custom::Quota", "AWS::Batch::", "AWS::CloudFormation::Stack")
_NOISE = re.compile(
    r"^$|^\s*\{|^\s*Logs|start: |success: |Synthesis time|Deployment time|Total time|NOTICES|Stack ARN|^arn:"
    r"|^Source Location|user code|CloudTrail delivery|creating CloudFormation changeset|feature flags"
    r"|current credentials|^Outputs:|Acknowledge with|^\s+\S+ aws-cdk-lib\."
)


class CdkOutput:
    """Leaves out assets, repeated reasons and resources that have nothing to do with quotas; one object a command.

    The command line shows the reason of a failure three times: in the event, in a list of failed resources, and in the
    closing error. Only the last is kept: it is the one people read.
    """

    def __init__(self) -> None:
        self._repeating = False

    def shows(self, line: str) -> bool:
        """Return whether to show this line, the next of the output."""
        event = _EVENT.match(line)
        if line.startswith("Failed resources:"):
            self._repeating = True
        elif line.startswith(("❌", "✅")):
            self._repeating = False
        elif event is not None:
            self._repeating = event["status"].endswith("_FAILED")
            return event["status"].endswith("_COMPLETE") and event["type"].startswith(_OURS)
        return not self._repeating and not _NOISE.search(line)
