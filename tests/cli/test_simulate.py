"""Queues played through time: what happens when, and that nothing is lost or happens twice."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from cli_support import TYPE, job, problems_with, share, state, walkthrough

from quota_constructs.simulation.play import simulate
from quota_constructs.simulation.run import Run, Wait, Workload
from quota_scheduler import Knobs, parse_state
from quota_scheduler.timestamp import MILLISECONDS_PER_HOUR as HOUR
from quota_scheduler.timestamp import parse_timestamp

if TYPE_CHECKING:
    from cli_support import Cli

MINUTE = 60_000
STRATEGIES = ("RESERVE", "LEND", "LEND_AND_BORROW")


def told(run: Run) -> list[tuple[float, str, str]]:
    """What happened, with minutes since the start."""
    return [((item.at - run.start) / MINUTE, item.what, item.job) for item in run.happenings]


def play(document: dict[str, Any], hours: float = 2, until: float | None = None, **runs: float) -> Run:
    before = parse_state(document)
    workload = Workload({name: int(length * HOUR) for name, length in runs.items()}, int(hours * HOUR))
    return simulate(before, workload, Knobs(), until=None if until is None else before.at + int(until * HOUR))


def test_a_waiting_job_starts_when_another_one_ends() -> None:
    document = state({"A": share(1)}, [job("a", "A"), job("b", "A", "RUNNABLE")], environment=1)
    run = play(document, a=2.5, b=1)
    assert told(run) == [(35, "finished", "a"), (35, "started", "b"), (95, "finished", "b")]
    assert run.waits == {"b": Wait("A", run.start - 120 * MINUTE, run.start + 35 * MINUTE)}  # submitted at ten
    assert (run.busy[TYPE] // MINUTE, run.end - run.start) == (95, 95 * MINUTE)


def test_an_owner_takes_its_room_back_and_the_stopped_job_runs_again() -> None:
    shares = {"A": share(1, "LEND_AND_BORROW", borrow_limit_percent=100), "B": share(1)}
    jobs = [job("old", "A"), job("new", "A", started_at="2026-11-29T11:00:00Z"), job("owner", "B", "RUNNABLE")]
    run = play(state(shares, jobs, environment=2), old=3, new=3, owner=1)
    assert told(run) == [
        (2, "preempted", "new"),
        (2, "started", "owner"),
        (62, "finished", "owner"),
        (62, "started", "new"),
        (65, "finished", "old"),
        (242, "finished", "new"),
    ]
    assert [item.lost for item in run.happenings if item.what == "preempted"] == [62 * MINUTE]


def test_a_stopped_job_goes_on_from_its_checkpoint() -> None:
    shares = {"A": share(1, "LEND_AND_BORROW", borrow_limit_percent=100), "B": share(1)}
    saved = job("new", "A", started_at="2026-11-29T11:00:00Z", checkpointed_at="2026-11-29T11:30:00Z")
    run = play(
        state(shares, [job("old", "A"), saved, job("owner", "B", "RUNNABLE")], environment=2), old=9, new=3, owner=1
    )
    assert (212, "finished", "new") in told(run)  # half an hour less than from its start


def test_a_job_without_retries_fails_when_it_is_stopped() -> None:
    shares = {"A": share(1, "LEND_AND_BORROW", borrow_limit_percent=100), "B": share(1)}
    last = job("new", "A", started_at="2026-11-29T11:00:00Z", preemption_retries_before_termination=0)
    run = play(state(shares, [job("old", "A"), last, job("owner", "B", "RUNNABLE")], environment=2), old=3, owner=1)
    assert told(run)[:2] == [(2, "preempted", "new"), (2, "failed", "new")]
    assert "new" not in {name for _, what, name in told(run) if what == "finished"}


def test_a_job_that_ends_while_it_is_stopped_has_finished() -> None:
    shares = {"A": share(1, "LEND_AND_BORROW", borrow_limit_percent=100), "B": share(1)}
    ending = job("new", "A", started_at="2026-11-29T11:00:00Z", expected_end="2026-11-29T12:01:00Z")
    run = play(state(shares, [job("old", "A"), ending, job("owner", "B", "RUNNABLE")], environment=2), old=3, owner=1)
    assert told(run)[:2] == [(1, "finished", "new"), (1, "started", "owner")]


def test_until_ends_it_early() -> None:
    document = state({"A": share(1)}, [job("a", "A"), job("b", "A", "RUNNABLE")], environment=1)
    run = play(document, until=1, a=2.5, b=1)
    assert (told(run)[-1], run.still_running, run.still_waiting) == ((35, "started", "b"), ("b",), {})
    assert run.end - run.start == HOUR
    assert run.busy[TYPE] == HOUR


def random_queue(seed: int) -> dict[str, Any]:
    dice = random.Random(seed)
    names = ["A", "B", "C"]
    shares = {
        name: share(
            dice.randint(1, 4),
            dice.choice(("RESERVE", "LEND", "LEND_AND_BORROW")),
            in_share_preemption=dice.random() < 0.5,
        )
        for name in names
    }
    jobs = [
        job(f"j{number:02d}", dice.choice(names), "RUNNABLE", uses=dice.randint(1, 3), priority=dice.randint(0, 3))
        for number in range(15)
    ]
    return state(shares, jobs, environment=sum(item["limits"][TYPE] for item in shares.values()))


@pytest.mark.parametrize("seed", range(30))
def test_every_job_ends_once_and_no_more_is_used_than_there_is(seed: int) -> None:
    document = random_queue(seed)
    dice = random.Random(seed)
    runs = {item["id"]: dice.uniform(0.1, 5) for item in document["jobs"]}
    run = play(document, **runs)
    ended = [item.job for item in run.happenings if item.what in ("finished", "failed")]
    assert sorted([*ended, *run.still_waiting, *run.still_running]) == sorted(runs)
    assert run.still_running == ()
    uses = {item["id"]: item["uses"][TYPE] for item in document["jobs"]}
    used = most = 0
    for item in run.happenings:
        used += {"started": 1, "preempted": -1, "finished": -1}.get(item.what, 0) * uses[item.job]
        most = max(most, used)
    assert (used, most <= document["environment"][TYPE]) == (0, True)
    assert run == play(document, **runs)


def trace() -> dict[str, Any]:
    document = state({"A": share(1)}, [job("a", "A")], environment=1)
    arrival = {"id": "late", "share": "A", "uses": {TYPE: 1}, "created_at": "2026-11-29T12:10:00Z", "run_seconds": 600}
    return {"version": 1, "state": document, "run_seconds": {"a": 9000}, "arrivals": [arrival]}


def test_a_trace_tells_run_times_and_jobs_to_come(cli: Cli) -> None:
    assert problems_with(trace(), "trace") == []
    outcome = cli("simulate", cli.write("trace.json", trace()), "--format", "json")
    document = outcome.json()
    assert (outcome.code, problems_with(document, "simulation")) == (0, [])
    (run,) = document["runs"]
    assert [(item["at"], item["what"], item["job"]) for item in run["events"]] == [
        ("2026-11-29T12:10:00Z", "submitted", "late"),
        ("2026-11-29T12:35:00Z", "finished", "a"),
        ("2026-11-29T12:35:00Z", "started", "late"),
        ("2026-11-29T12:45:00Z", "finished", "late"),
    ]
    assert (run["waiting_seconds"], run["used"]) == (waited(1500), 1.0)


def test_a_change_is_played_beside(cli: Cli) -> None:
    file = cli.write("state.json", walkthrough())
    change = cli.write("change.json", {"shares": {"QS1": None}})
    document = cli("simulate", file, "--change", change, "--format", "json").json()
    assert problems_with(document, "simulation") == []
    before, after = document["runs"]
    assert (before["jobs"]["finished"], after["jobs"]["finished"], after["jobs"]["terminated"]) == (3, 0, 3)
    text = cli("simulate", file, "--change", change).out
    assert "jobs ended by the change" in text
    assert "as it is  changed" in text


UNTIL = {"a time": ("2026-11-29T12:30:00Z", 30), "minutes": ("90m", 90), "hours": ("2h", 120), "days": ("1d", 1440)}


@pytest.mark.parametrize(("text", "minutes"), UNTIL.values(), ids=UNTIL)
def test_until_takes_times_and_lengths(cli: Cli, text: str, minutes: int) -> None:
    document = state({"A": share(1)}, [job("a", "A", expected_end="2026-12-09T00:00:00Z")], environment=1)
    run = cli("simulate", cli.write("state.json", document), "--until", text, "--format", "json").json()["runs"][0]
    assert parse_timestamp(run["end"]) - parse_timestamp("2026-11-29T12:00:00Z") == minutes * MINUTE


def with_change(cli: Cli, document: object, change: object, *options: str) -> tuple[dict[str, Any], str]:
    """The document of both runs, checked against its schema, and the same as text on a wide terminal."""
    words = ("simulate", cli.write("given.json", document), "--change", cli.write("change.json", change), *options)
    outcome = cli(*words, "--format", "json")
    assert (outcome.code, problems_with(outcome.json(), "simulation")) == (0, [])
    return outcome.json(), cli(*words).out


def waited(mean: int, longest: int | None = None, jobs: int = 1, not_started: int = 0) -> dict[str, int | None]:
    return {"jobs": jobs, "not_started": not_started, "mean": mean, "longest": mean if longest is None else longest}


def row(text: str, label: str) -> list[str]:
    """What the text says in the row of a label, a cell a run."""
    (line,) = [line for line in text.splitlines() if line.strip().startswith(label)]
    return line.strip().removeprefix(label).split()


def test_a_job_that_can_never_run_waits_until_the_end_of_the_period(cli: Cli) -> None:
    document = state({"A": share(2)}, [job("a", "A", "RUNNABLE", uses=2)], environment=2)
    told, text = with_change(cli, document, {"shares": {"A": {"limits": {TYPE: 1}}}})
    before, after = told["runs"]
    assert (told["end"], before["end"], after["end"]) == (
        "2026-11-29T13:00:00Z",
        "2026-11-29T13:00:00Z",
        "2026-11-29T12:00:00Z",
    )
    assert (before["waiting_seconds"], after["waiting_seconds"]) == (waited(7200), waited(10800, not_started=1))
    assert (after["jobs"]["waiting"], after["jobs"]["never_fits"]) == (1, 1)
    assert row(text, "waiting, mean") == ["2h", "≥3h"]
    assert row(text, "jobs that can never run") == ["0", "1"]


def test_a_job_behind_one_that_can_never_run_waits_but_would_fit(cli: Cli) -> None:
    jobs = [job("a", "A", "RUNNABLE", uses=3), job("b", "A", "RUNNABLE", priority=0)]
    (run,) = cli("simulate", cli.write("s.json", state({"A": share(2)}, jobs)), "--format", "json").json()["runs"]
    assert (run["jobs"]["waiting"], run["jobs"]["never_fits"]) == (2, 1)


def test_nothing_is_said_about_waiting_where_no_job_waited(cli: Cli) -> None:
    document, text = with_change(cli, state({"A": share(1)}, [job("a", "A")], environment=1), {})
    assert [run["waiting_seconds"]["mean"] for run in document["runs"]] == [None, None]
    assert row(text, "waiting, mean") == ["-", "-"]


GONE = {"removed": None, "disabled": {"state": "DISABLED"}}


@pytest.mark.parametrize("members", GONE.values(), ids=GONE)
def test_jobs_that_come_for_a_share_that_takes_none_are_refused(cli: Cli, members: object) -> None:
    document, text = with_change(cli, trace(), {"shares": {"A": members}})
    before, after = document["runs"]
    assert [run["jobs"]["refused"] for run in (before, after)] == [0, 1]
    assert after["shares"]["A"]["refused"] == 1
    refused = {"at": "2026-11-29T12:10:00Z", "what": "refused", "job": "late", "share": "A"}
    assert [event for event in after["events"] if event["job"] == "late"] == [refused]
    assert row(text, "jobs refused at submission") == ["0", "1"]


def test_a_removed_share_loses_what_its_jobs_have_not_saved(cli: Cli) -> None:
    document, text = with_change(cli, walkthrough(), {"shares": {"QS1": None}})
    _, after = document["runs"]
    assert {name: after["shares"]["QS1"][name] for name in ("terminated", "lost_gpu_hours", "waiting")} == {
        "terminated": 3,
        "lost_gpu_hours": 2.4167,  # since 10:05 and since the checkpoint at 11:30
        "waiting": 0,
    }
    assert [event["what"] for event in after["events"]] == ["terminated"] * 3
    assert row(text, "GPU-hours lost")[-1] == "2.4"


def test_both_runs_are_measured_over_the_same_period(cli: Cli) -> None:
    document = trace() | {"arrivals": [], "run_seconds": {"a": 9000, "b": 3600}}
    document["state"]["jobs"].append(job("b", "A", "RUNNABLE"))
    told, text = with_change(cli, document, {"environment": {TYPE: 2}, "shares": {"A": {"limits": {TYPE: 2}}}})
    assert [run["end"][11:16] for run in told["runs"]] == ["13:35", "13:00"]
    assert [run["used"] for run in told["runs"]] == [1.0, 0.5]  # 95 of 95 and of 190 minutes
    assert text.startswith("From 2026-11-29T12:00:00Z to 2026-11-29T13:35:00Z\n")
    told, _ = with_change(cli, document, {"environment": {TYPE: 2}}, "--until", "190m")
    assert (told["end"], told["runs"][0]["used"]) == ("2026-11-29T15:10:00Z", 0.5)


def test_a_change_that_breaks_a_rule_is_played_with_a_note(cli: Cli) -> None:
    file = cli.write("state.json", walkthrough())
    change = cli.write("change.json", {"environment": {TYPE: 1}, "shares": {"QS1": {"limits": {TYPE: 2}}}})
    outcome = cli("simulate", file, "--change", change, "--format", "json")
    assert (outcome.code, problems_with(outcome.json(), "simulation")) == (0, [])
    notes = outcome.err.splitlines()
    assert [note.rpartition("[")[2] for note in notes] == ["QS007]", "QS009]"]
    assert all(note.startswith("batch-quota: the changed queue would not be valid: ") for note in notes)
    assert "the changed queue would not be valid: " in cli("simulate", file, "--change", change).out


def test_what_a_rule_finds_several_times_is_one_note(cli: Cli) -> None:
    change = cli.write("change.json", {"environment": {"ml.p5.48xlarge": 1}})
    file = cli.write("state.json", walkthrough())
    notes = cli("simulate", file, "--change", change, "--format", "json").err.splitlines()
    assert [note.rpartition("[")[2] for note in notes if "QS008" in note] == ["QS008], and 2 more breaches of it"]


def test_the_planned_end_of_a_job_that_was_stopped_is_no_end_of_the_run() -> None:
    shares = {"A": share(1, "LEND_AND_BORROW", borrow_limit_percent=100), "B": share(1)}
    late = {"started_at": "2026-11-29T11:00:00Z", "expected_end": "2027-11-29T11:00:00Z"}
    last = job("new", "A", preemption_retries_before_termination=0, **late)
    run = play(state(shares, [job("old", "A"), last, job("owner", "B", "RUNNABLE")], environment=2), old=3, owner=1)
    assert told(run)[-1] == (65, "finished", "old")
    assert run.end - run.start == 65 * MINUTE


def test_room_that_is_held_is_not_in_use() -> None:
    shares = {"A": share(1, "LEND_AND_BORROW", borrow_limit_percent=200), "B": share(2)}
    ending = job("x", "A", priority=0, expected_end="2026-11-29T12:01:00Z")
    jobs = [ending, job("y", "A", priority=0), job("old", "A"), job("owner", "B", "RUNNABLE", uses=2)]
    document = state(shares, jobs)
    run = play(document, until=1.5 / 60, y=9, old=9, owner=1)
    assert told(run) == [(1, "finished", "x")]
    assert (sorted(run.still_running), run.busy[TYPE]) == (["old", "y"], 4 * MINUTE)


def spoiled(**members: object) -> dict[str, Any]:
    return {**trace(), **members}


WRONG = {
    "an unknown member": (spoiled(extra=1), "$.extra: unknown member; known are "),
    "another version": (spoiled(version=2), "$.version: must be 1, got 2"),
    "run times of a wrong kind": (
        spoiled(run_seconds={"a": "long"}),
        '$.run_seconds.a: must be a whole number, got "long"',
    ),
    "arrivals of a wrong kind": (spoiled(arrivals={}), "$.arrivals: must be a list of jobs"),
    "an arrival without a time": (
        spoiled(arrivals=[{"id": "x", "share": "A", "uses": {TYPE: 1}}]),
        "$.arrivals[0].created_at: is missing",
    ),
    "an arrival to an unknown share": (
        spoiled(arrivals=[{**trace()["arrivals"][0], "share": "Z"}]),
        "$.arrivals[0].share",
    ),
    "an arrival that is there already": (
        spoiled(arrivals=[{**trace()["arrivals"][0], "id": "a"}]),
        '$.arrivals[0].id: job "a" is in the state already',
    ),
    "a state that is none": (spoiled(state={"version": 9}), "$.state.version: must be 1, got 9"),
    "no JSON": ("{", "trace.json is no trace or queue state: $: not JSON: "),
}


@pytest.mark.parametrize(("document", "want"), WRONG.values(), ids=WRONG)
def test_fails_for_a_trace_that_is_none(cli: Cli, document: object, want: str) -> None:
    outcome = cli("simulate", cli.write("trace.json", document))
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert want in outcome.err


@pytest.mark.parametrize(
    ("text", "want"), [("soon", "--until is a time such as"), ("2026-11-28T00:00:00Z", "is before the start")]
)
def test_fails_for_an_end_that_is_none(cli: Cli, text: str, want: str) -> None:
    outcome = cli("simulate", cli.write("state.json", walkthrough()), "--until", text)
    assert (outcome.code, want in outcome.err) == (2, True)
