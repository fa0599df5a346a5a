"""`batch-quota explain`: why a job waits and what it would take, or whether a job that is not there yet would start."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click

from quota_constructs.cli.failure import Failure
from quota_constructs.cli.options import (
    account_options,
    debug_option,
    format_option,
    knob_option,
    output_option,
    read_knobs,
)

if TYPE_CHECKING:
    from quota_constructs.cli.sources import Account
    from quota_scheduler import Job, QueueState

_MEMBERS = ("share", "uses", "priority", "name")
_MOST_DIGITS = 10


@click.command(
    name="explain",
    epilog="Example: batch-quota explain ml-training --submit share=research,uses=ml.p4d.24xlarge:4,priority=5",
)
@click.argument("state")
@click.option("--job", metavar="ID", help="The waiting job, by its id or its name.")
@click.option(
    "--submit",
    metavar="MEMBERS",
    help="A job that is not there yet: share=NAME,uses=TYPE:COUNT and, if wanted, priority=N. uses may be repeated.",
)
@format_option("text", "json", "markdown")
@output_option
@knob_option
@account_options
@debug_option
def command(
    state: str,
    job: str | None,
    submit: str | None,
    layout: str,
    output: str | None,
    knobs: tuple[str, ...],
    account: Account,
) -> None:
    """Tell why a job waits and what it would take to start it.

    STATE is a file that `snapshot` wrote, - for standard input, or the name of a live queue.
    """
    if (job is None) == (submit is None):
        raise click.UsageError("give either --job ID or --submit MEMBERS")
    from quota_constructs.cli import output as out
    from quota_constructs.cli.sources import read_state
    from quota_constructs.report import decision as report
    from quota_scheduler import explain, explain_submission

    chosen = read_knobs(knobs)
    before, notes = read_state(state, account)
    if job is not None:
        subject = find_job(before, job)
        decision = explain(before, subject.id, chosen)
    else:
        subject = parse_submission(submit or "", before)
        try:
            decision = explain_submission(before, subject, chosen)
        except ValueError as error:
            raise Failure(f"--submit: {error}") from error
    document = decision.to_dict()
    if layout == "json":
        out.write_json(document, output)
        out.write_notes(notes)
    elif layout == "markdown":
        out.write(report.decision_markdown(document, subject, before, notes), output)
    else:
        out.write_text(lambda console: report.print_decision(console, document, subject, before, notes), output)


def find_job(state: QueueState, given: str) -> Job:
    """Find a waiting job by its id, the start of its id, or its name.

    Raises:
        Failure: There is no such job, there are several, or it does not wait.
    """
    if not given:
        raise Failure("--job is empty; give the id or the name of a waiting job")
    found = [job for job in state.jobs if job.id == given]
    found = found or [job for job in state.jobs if job.name == given]
    found = found or [job for job in state.jobs if len(given) >= 4 and job.id.startswith(given)]
    if not found:
        from quota_scheduler.document import nearest

        names = [job.id for job in state.jobs] + [job.name for job in state.jobs if job.name]
        hint = nearest(given, tuple(names)) or f"; it has {len(state.jobs)} jobs"
        raise Failure(f"the queue has no job {given}{hint}")
    if len(found) > 1:
        raise Failure(f"{len(found)} jobs are called {given}; give one of the ids {', '.join(j.id for j in found[:5])}")
    if found[0].status != "RUNNABLE":
        raise Failure(f"job {given} does not wait, its status is {found[0].status}; explain is for RUNNABLE jobs")
    return found[0]


def parse_submission(members: str, state: QueueState) -> Job:
    """Read a job that is not there yet, such as `share=A,uses=ml.p4d.24xlarge:4,priority=5`.

    Raises:
        Failure: A member is missing, unknown or of a wrong kind; all problems at once.
    """
    from quota_scheduler import Job
    from quota_scheduler.document import nearest
    from quota_scheduler.rules.jobs import HIGHEST_PRIORITY

    given: dict[str, str] = {}
    uses: dict[str, int] = {}
    problems: list[str] = []
    for part in members.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name in _MEMBERS and not equals:
            problems.append(f"{name} has no =VALUE")
        elif name not in _MEMBERS:
            near = difflib.get_close_matches(name, _MEMBERS, n=1)
            hint = f", did you mean {near[0]}?" if near else ""
            problems.append(f"{part.strip() or 'an empty part'} is none of {', '.join(_MEMBERS)} with =VALUE{hint}")
        elif name == "uses":
            _read_uses(value, uses, problems)
        elif name in given:
            problems.append(f"{name} is given twice")
        else:
            given[name] = value
    share = given.get("share", "")
    if share not in state.shares:
        hint = nearest(share, tuple(state.shares)) or f"; the queue has {', '.join(sorted(state.shares)) or 'none'}"
        problems.append(f"there is no share {share}{hint}" if share else f"share=NAME is missing{hint}")
    if not uses and not any(problem.startswith("uses") for problem in problems):
        problems.append("uses=TYPE:COUNT is missing")
    priority = given.get("priority")
    if priority is not None and not 0 <= _whole(priority) <= HIGHEST_PRIORITY:
        problems.append(f"priority is a whole number from 0 to {HIGHEST_PRIORITY}, got {priority[:60] or 'nothing'}")
    if problems:
        raise Failure(f"--submit: {'; '.join(problems)}")
    return Job(
        id=_free_id(state),
        share=share,
        uses=uses,
        status="RUNNABLE",
        name=given.get("name") or None,
        priority=None if priority is None else int(priority),
        created_at=state.at,
    )


def _read_uses(value: str, uses: dict[str, int], problems: list[str]) -> None:
    from quota_scheduler.document import LARGEST

    unit, colon, amount = value.partition(":")
    if not colon or not unit or not 1 <= _whole(amount) <= LARGEST:
        problems.append(f"uses is TYPE:COUNT with a whole number from 1 to {LARGEST}, got {value[:60] or 'nothing'}")
    elif unit in uses:
        problems.append(f"uses names {unit} twice")
    else:
        uses[unit] = int(amount)


def _whole(text: str) -> int:
    """Give a whole number as it is written in digits, -1 for what is none that can be meant."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else -1


def _free_id(state: QueueState) -> str:
    taken = {job.id for job in state.jobs}
    name = "submitted"
    while name in taken:
        name += "-new"
    return name
