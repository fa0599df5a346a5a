"""What the deployment of an assembly would do to running work, asked while it is being synthesized.

The answer is the command line's (`batch-quota plan`), from the same functions. What cannot be answered, because the
account cannot be reached or something is only known at deployment, is said and stops nothing: the guard asks again.
"""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from quota_constructs.assembly import StackTemplate
    from quota_constructs.planning.planned import Planned
    from quota_live.clients import Clients

LIVE = "live"
CONTEXT = "quota:plan"
_OFF = ("", "false", "off", "none")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a deployment would do to one queue.

    Args:
        verdict: The verdict, or `unknown`.
        path: Path of the queue's construct, or of a stack.
        text: A few lines for a person.
    """

    verdict: str
    path: str
    text: str


UNKNOWN = "unknown"
"""Verdict where there is no answer."""


def wanted(context: object) -> str | None:
    """Give what the context asks for: `live`, the path of a state file, or nothing.

    Args:
        context: Value of the context key.
    """
    return None if context is None or str(context).lower() in _OFF else str(context)


def answers(assembly: "str | Path", source: str, profile: str | None = None) -> "list[Answer]":
    """Ask what deploying an assembly would do.

    Args:
        assembly: The folder of the assembly.
        source: `live` for the account, or the path of a queue state.
        profile: Profile of the shared AWS configuration for `live`; None is the environment's.

    Returns:
        One answer for each queue that is declared or loses something; or one that says why there is none.
    """
    try:
        return _answers(assembly, source, profile)
    except ModuleNotFoundError as error:
        return [_unknown(f"{error.name} is not installed; run: pip install 'quota-constructs[cli]'")]


def _answers(assembly: "str | Path", source: str, profile: str | None) -> "list[Answer]":
    from quota_constructs.assembly import AssemblyError, read_assembly
    from quota_constructs.planning.errors import PlanError
    from quota_constructs.report.text import short
    from quota_scheduler import DocumentError

    expected: tuple[type[Exception], ...] = (PlanError, AssemblyError, DocumentError, OSError, *_live_errors())
    try:
        stacks = read_assembly(assembly)
        planned = _live(stacks, profile) if source == LIVE else _offline(stacks, source)
    except expected as error:
        return [_unknown(str(error))]
    return [Answer(item.plan.verdict, _path(item, stacks), short(item.assessed())) for item in planned]


def _live(stacks: "Sequence[StackTemplate]", profile: str | None) -> "Sequence[Planned]":
    from quota_constructs.planning.live import plan_stacks
    from quota_live.clients import clients
    from quota_live.deployment import Options

    made: dict[str | None, Clients] = {}

    def clients_of(region: str | None) -> "Clients":
        if region not in made:
            made[region] = clients(region or os.environ.get("CDK_DEFAULT_REGION"), profile)
        return made[region]

    return plan_stacks(clients_of, stacks, stacks, (), Options())


def _offline(stacks: "Sequence[StackTemplate]", state_file: str) -> "Sequence[Planned]":
    from pathlib import Path

    from quota_constructs.planning.offline import plan_from_state
    from quota_scheduler import Knobs, parse_state

    return plan_from_state(stacks, stacks, parse_state(Path(state_file).read_bytes()), (), Knobs())


def _live_errors() -> tuple[type[Exception], ...]:
    """Give the errors of an account that cannot be read, as far as their packages are there."""
    try:
        from botocore.exceptions import BotoCoreError

        from quota_live.errors import LiveError, UnsupportedSdkError
    except ImportError:
        return ()
    return (BotoCoreError, LiveError, UnsupportedSdkError)


def _path(item: "Planned", stacks: "Sequence[StackTemplate]") -> str:
    """Give a path in the construct tree, so that the report has a place to point to."""
    home = next((stack.path for stack in stacks if stack.stack_name == item.stack), item.stack)
    return item.plan.label if item.plan.label.startswith(home.split("/")[0]) else home


def _unknown(reason: str) -> Answer:
    return Answer(UNKNOWN, "", f"no plan: {reason}")
