"""A naive second implementation of the scheduler's contract, to compare the model with.

Dictionaries in, dictionaries out: a queue state document and a change document as a user writes them, a decision and an
assessment as the model's `to_dict()` gives them, without the parts whose wording is free (sentences, advice,
assumptions, findings). It follows the specification sentence by sentence and looks through every subset of the
candidates, so it is slow and only for small queues, and knows no knob but by its default. It shares no line with the
model: a difference between the two is a mistake in one of them, or a sentence that can be read in two ways.

Readings that the two have in common where the specification leaves room:

- A job with several instance types: whether it is within its limit, fits, and what it needs are asked type by type. It
  is entitled, and its share below its limit, when that holds in every type it uses; a job of another share can be
  stopped while its share is over in some type that both use.
- What is being stopped for a job is gone for it in every respect, and leaves when the job is served.
- Putting back is repeated until nothing can be put back: with the last victim of another share one of the own share
  may become superfluous.
- An unknown priority may be lower than any other, and any other than it, for possible and eligible; it makes nobody a
  certain victim of its own share; it is 0 in the order of a share and for likely. An unknown submission is the last,
  an unknown dispatch the oldest.
- After a step with several minimal sets nothing more is certain in the types of its job and of its possible victims.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from datetime import datetime
from itertools import combinations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Document = dict[str, Any]
Job = dict[str, Any]

DISPATCHED = ("SCHEDULED", "STARTING", "RUNNING")
WAITING = "RUNNABLE"
GPUS = {
    "ml.g5.xlarge": 1,
    "ml.g5.12xlarge": 4,
    "ml.g5.48xlarge": 8,
    "ml.p4d.24xlarge": 8,
    "ml.p5.48xlarge": 8,
}

FOREVER = 2**62  # an unknown submit time is the last


def ms(text: str | None) -> int | None:
    """Epoch milliseconds of an ISO 8601 time, None for a missing one."""
    return None if text is None else round(datetime.fromisoformat(text).timestamp() * 1000)


# --- the snapshot -----------------------------------------------------------------------------------------------------


class Queue:
    """A snapshot: environment, shares and unfinished jobs, with the quantities of the model for one waiting job."""

    def __init__(self, state: Document) -> None:
        self.at = ms(state["at"]) or 0
        self.environment: dict[str, int] = state["environment"]
        self.shares: dict[str, Document] = state["shares"]
        self.jobs: list[Job] = [job for job in state.get("jobs", []) if job["status"] in (*DISPATCHED, WAITING)]
        self.started: set[str] = set()  # dispatched in the pass: they hold room and are no victims

    def job(self, job_id: str) -> Job:
        return next(job for job in self.jobs if job["id"] == job_id)

    def waiting(self, share: str | None = None) -> list[Job]:
        return [job for job in self.jobs if job["status"] == WAITING and share in (None, job["share"])]

    def dispatched(self) -> list[Job]:
        return [job for job in self.jobs if job["status"] in DISPATCHED]

    def types(self) -> set[str]:
        named = set(self.environment)
        for share in self.shares.values():
            named |= set(share["limits"])
        for job in self.jobs:
            named |= set(job["uses"])
        return named

    # E, L, cap
    def e(self, kind: str) -> int:
        return self.environment.get(kind, 0)

    def limit(self, share: str, kind: str) -> int:
        limit: int = self.shares[share]["limits"].get(kind, 0)
        return limit

    def strategy(self, share: str) -> str:
        return str(self.shares[share]["strategy"])

    def allowance(self, share: str, kind: str) -> float:
        if self.strategy(share) != "LEND_AND_BORROW":
            return 0
        percent = self.shares[share].get("borrow_limit_percent", -1)
        return math.inf if percent < 0 else self.limit(share, kind) * percent // 100

    def cap(self, share: str, kind: str) -> float:
        return self.limit(share, kind) + self.allowance(share, kind)

    def in_share(self, share: str) -> bool:
        return bool(self.shares[share].get("in_share_preemption", False))

    def lenders(self) -> list[str]:
        return [share for share in self.shares if self.strategy(share) != "RESERVE"]

    def reserves(self) -> list[str]:
        return [share for share in self.shares if self.strategy(share) == "RESERVE"]

    def usage(self, gone: frozenset[str] = frozenset()) -> Counter[tuple[str, str]]:
        """U for every share and type, without the jobs in `gone`."""
        used: Counter[tuple[str, str]] = Counter()
        for job in self.dispatched():
            if job["id"] not in gone:
                for kind, amount in job["uses"].items():
                    used[job["share"], kind] += amount
        return used

    def stopping_for(self, job: Job) -> frozenset[str]:
        """Jobs already being stopped for `job`: gone for it, there for everybody else."""
        return frozenset(other["id"] for other in self.dispatched() if other.get("stopping_for") == job["id"])


def unknown(job: Job) -> bool:
    return job.get("priority") is None


def priority(job: Job) -> int:
    """The priority where an answer is needed: 0 if it is not known."""
    return 0 if unknown(job) else int(job["priority"])


def may_be_lower(job: Job, other: Job) -> bool:
    """Whether `job` has, or may have, a lower priority than `other`: an unknown one counts as lower."""
    return unknown(job) or unknown(other) or priority(job) < priority(other)


def is_lower(job: Job, other: Job) -> bool:
    """The same with 0 for an unknown priority."""
    return priority(job) < priority(other)


def submitted(job: Job) -> int:
    created = ms(job.get("created_at"))
    return FOREVER if created is None else created


def queue_order(job: Job) -> tuple[int, int, str]:
    return (-priority(job), submitted(job), job["id"])


def common_types(job: Job, other: Job) -> list[str]:
    return [kind for kind in job["uses"] if kind in other["uses"]]


# --- conditions of section 2 ------------------------------------------------------------------------------------------


def never(queue: Queue, job: Job) -> str | None:
    """Which rule says that the job can never run, None if it can."""
    share, uses = job["share"], job["uses"]
    if any(kind not in queue.shares[share]["limits"] for kind in uses):
        return "type_not_listed"
    if any(n > queue.cap(share, kind) for kind, n in uses.items()):
        return "borrow_limit" if queue.strategy(share) == "LEND_AND_BORROW" else "limit"
    for kind, n in uses.items():
        others = sum(queue.limit(other, kind) for other in queue.lenders() if other != share)
        if n > queue.limit(share, kind) + others:
            return "borrowable_pool"
    if any(n > queue.e(kind) for kind, n in uses.items()):
        return "environment"
    return None


def entitled_in(queue: Queue, job: Job, kind: str, gone: frozenset[str]) -> bool:
    used = queue.usage(gone | queue.stopping_for(job))
    return bool(used[job["share"], kind] + job["uses"][kind] <= queue.limit(job["share"], kind))


def entitled(queue: Queue, job: Job, gone: frozenset[str] = frozenset()) -> bool:
    return all(entitled_in(queue, job, kind, gone) for kind in job["uses"])


def below_limit(queue: Queue, job: Job) -> bool:
    """U[s] < L[s], in every type of the job."""
    used = queue.usage(queue.stopping_for(job))
    return all(used[job["share"], kind] < queue.limit(job["share"], kind) for kind in job["uses"])


def fit_in(queue: Queue, job: Job, kind: str, gone: frozenset[str]) -> bool:
    share, n = job["share"], job["uses"][kind]
    used = queue.usage(gone | queue.stopping_for(job))
    kept = sum(max(0, queue.limit(r, kind) - used[r, kind]) for r in queue.reserves() if r != share)
    room = bool(sum(used[r, kind] for r in queue.shares) + n + kept <= queue.e(kind))
    if entitled_in(queue, job, kind, gone):
        return room
    if used[share, kind] + n > queue.cap(share, kind):
        return False
    used[share, kind] += n
    over = sum(max(0, used[r, kind] - queue.limit(r, kind)) for r in queue.shares)
    idle = sum(max(0, queue.limit(r, kind) - used[r, kind]) for r in queue.lenders())
    return room and over <= idle


def fit(queue: Queue, job: Job, gone: frozenset[str] = frozenset()) -> bool:
    return all(fit_in(queue, job, kind, gone) for kind in job["uses"])


def need(queue: Queue, job: Job) -> dict[str, int]:
    """D(j) for each type of the job."""
    result = {}
    for kind, n in job["uses"].items():
        share = job["share"]
        owner = entitled_in(queue, job, kind, frozenset())
        used = queue.usage(queue.stopping_for(job))
        used[share, kind] += n
        total = sum(used[r, kind] for r in queue.shares)
        if owner:
            kept = sum(max(0, queue.limit(r, kind) - used[r, kind]) for r in queue.reserves() if r != share)
            result[kind] = max(0, total + kept - queue.e(kind))
        else:
            over = sum(max(0, used[r, kind] - queue.limit(r, kind)) for r in queue.shares)
            idle = sum(max(0, queue.limit(r, kind) - used[r, kind]) for r in queue.lenders())
            result[kind] = max(0, over - idle, total - queue.e(kind))
    return result


# --- candidates and valid victim sets ---------------------------------------------------------------------------------


def may_be_taken(queue: Queue, job: Job, other: Job) -> bool:
    """Dispatched, of a type of the job, not being stopped already, not started in this pass."""
    return (
        other["status"] in DISPATCHED
        and bool(common_types(job, other))
        and other.get("stopping_for") is None
        and other["id"] not in queue.started
    )


def over_for(queue: Queue, job: Job, other: Job, gone: frozenset[str]) -> bool:
    """The share of `other` is over its limit in a type that both jobs use."""
    used = queue.usage(gone | queue.stopping_for(job))
    return any(used[other["share"], kind] > queue.limit(other["share"], kind) for kind in common_types(job, other))


def cross_candidates(queue: Queue, job: Job) -> list[Job]:
    return [
        other
        for other in queue.jobs
        if other["share"] != job["share"]
        and may_be_taken(queue, job, other)
        and over_for(queue, job, other, frozenset())
    ]


def own_candidates(queue: Queue, job: Job, lower: Callable[[Job, Job], bool]) -> list[Job]:
    if not queue.in_share(job["share"]):
        return []
    return [
        other
        for other in queue.jobs
        if other["share"] == job["share"] and may_be_taken(queue, job, other) and lower(other, job)
    ]


def surely_candidate(job: Job, victim: Job) -> bool:
    """For certain an unknown priority counts as higher, so that nobody is a sure victim of its own share by it."""
    return victim["share"] != job["share"] or not (unknown(job) or unknown(victim))


def obeys_stop_rule(queue: Queue, job: Job, cross: list[Job]) -> bool:
    """The cross victims of every share can be ordered so that the share is over whenever one is taken."""
    shares = {other["share"] for other in cross}
    return all(orderable(queue, job, [other for other in cross if other["share"] == share]) for share in shares)


def orderable(queue: Queue, job: Job, members: list[Job]) -> bool:
    """Some member can be the last: the others are orderable, and with them gone its share is still over."""
    if not members:
        return True
    for last in members:
        rest = [other for other in members if other is not last]
        if over_for(queue, job, last, frozenset(other["id"] for other in rest)) and orderable(queue, job, rest):
            return True
    return False


def sufficient(queue: Queue, job: Job, victims: list[Job]) -> bool:
    gone = frozenset(other["id"] for other in victims)
    if not fit(queue, job, gone):
        return False
    cross = any(other["share"] != job["share"] for other in victims)
    return entitled(queue, job, gone) if cross else True


def valid_sets(queue: Queue, job: Job) -> list[frozenset[str]]:
    """Every valid sufficient victim set, by looking at every subset of the candidates."""
    if any(n > queue.limit(job["share"], kind) for kind, n in job["uses"].items()):
        return []
    candidates = own_candidates(queue, job, may_be_lower)
    if below_limit(queue, job):
        candidates += cross_candidates(queue, job)
    found = []
    for size in range(len(candidates) + 1):
        for chosen in combinations(candidates, size):
            victims = list(chosen)
            cross = [other for other in victims if other["share"] != job["share"]]
            if sufficient(queue, job, victims) and obeys_stop_rule(queue, job, cross):
                found.append(frozenset(other["id"] for other in victims))
    return found


def minimal(sets: list[frozenset[str]]) -> list[frozenset[str]]:
    return [one for one in sets if not any(other < one for other in sets)]


# --- the default heuristic of section 3 -------------------------------------------------------------------------------


def taking_order(job: Job) -> tuple[int, int, str]:
    dispatched_at = ms(job.get("scheduled_at") or job.get("started_at")) or 0
    return (priority(job), -dispatched_at, job["id"])


def attempt(queue: Queue, job: Job, cross: list[Job], own: list[Job]) -> list[Job] | None:
    """Take in order until sufficient, then put back; None when everything taken is not enough."""
    taken: list[Job] = []
    for other in sorted(cross, key=taking_order) + sorted(own, key=taking_order):
        if sufficient(queue, job, taken):
            break
        gone = frozenset(one["id"] for one in taken)
        if other["share"] == job["share"] or over_for(queue, job, other, gone):
            taken.append(other)
    if not sufficient(queue, job, taken):
        return None
    while True:  # putting back the last cross victim may make an own one superfluous
        for other in reversed(taken):
            rest = [one for one in taken if one is not other]
            if sufficient(queue, job, rest):
                taken = rest
                break
        else:
            return taken


def likely_set(queue: Queue, job: Job) -> list[Job] | None:
    if any(n > queue.limit(job["share"], kind) for kind, n in job["uses"].items()):
        return None
    own = own_candidates(queue, job, is_lower)
    cross = cross_candidates(queue, job)
    if entitled(queue, job):
        return attempt(queue, job, cross, own)
    if below_limit(queue, job) and cross:
        mixed = attempt(queue, job, cross, own)
        if mixed is not None:
            return mixed
    return attempt(queue, job, [], own)


# --- the decision -----------------------------------------------------------------------------------------------------


def wait_reason(queue: Queue, job: Job) -> str:
    share, uses = job["share"], job["uses"]
    own, cross = own_candidates(queue, job, is_lower), cross_candidates(queue, job)
    used = queue.usage(queue.stopping_for(job))
    if cross and not own and not entitled(queue, job):
        return "would_borrow"
    if own and any(n > queue.limit(share, kind) for kind, n in uses.items()):
        return "larger_than_limit"
    if own or cross:
        return "cannot_help"
    if queue.strategy(share) == "LEND_AND_BORROW":
        above = any(used[share, kind] + n > queue.cap(share, kind) for kind, n in uses.items())
        return "borrow_limit" if above else "no_capacity"
    above = any(used[share, kind] + n > queue.limit(share, kind) for kind, n in uses.items())
    if above and queue.in_share(share):
        return "no_candidates"
    free = all(sum(used[r, kind] for r in queue.shares) + n <= queue.e(kind) for kind, n in uses.items())
    if above and free:
        return "limit_now"
    return "no_capacity"


def borrowing(queue: Queue, job: Job, gone: frozenset[str]) -> int:
    used = queue.usage(gone | queue.stopping_for(job))
    share = job["share"]
    return sum(max(0, used[share, kind] + n - queue.limit(share, kind)) for kind, n in job["uses"].items())


def decide(queue: Queue, job: Job) -> Document:
    """The decision for one waiting job on this snapshot, with the minimal sets under `_minimal`."""
    decision: Document = {
        "version": 1,
        "job": job["id"],
        "outcome": "wait",
        "preempted": [],
        "possible": [],
        "certain": [],
        "borrowing": 0,
        "reason": "",
        "needs": {},
        "_minimal": [frozenset()],
    }
    rule = never(queue, job)
    if rule is not None:
        return decision | {"outcome": "never_fits", "reason": rule}
    if any(queue_order(other) < queue_order(job) for other in queue.waiting(job["share"])):
        return decision | {"reason": "head_blocked", "needs": need(queue, job)}
    if fit(queue, job):
        borrowed = borrowing(queue, job, frozenset())
        reason = "borrow" if borrowed else "within_limit"
        return decision | {"outcome": "dispatch", "borrowing": borrowed, "reason": reason}
    decision["needs"] = need(queue, job)
    victims = likely_set(queue, job)
    if victims is None:
        return decision | {"reason": wait_reason(queue, job)}
    own = [other for other in victims if other["share"] == job["share"]]
    valid = valid_sets(queue, job)
    smallest = minimal(valid)
    likely = frozenset(other["id"] for other in victims)
    in_all = frozenset.intersection(*valid)
    return decision | {
        "outcome": "preempt",
        "preempted": sorted(likely),
        "possible": sorted(frozenset().union(*smallest)),
        "certain": sorted(one for one in in_all if surely_candidate(job, queue.job(one))),
        "borrowing": borrowing(queue, job, likely),
        "reason": "reclaim" if not own else "in_share" if len(own) == len(victims) else "mixed",
        "_minimal": smallest,
    }


def public(decision: Document) -> Document:
    return {name: value for name, value in decision.items() if not name.startswith("_")}


def explain(state: Document, job_id: str) -> Document:
    """The decision for a waiting job as the scheduler would take it now."""
    queue = Queue(state)
    return public(decide(queue, queue.job(job_id)))


# --- the pass over the waiting jobs -----------------------------------------------------------------------------------


def head_order(queue: Queue, job: Job) -> tuple[int, int, str, str]:
    group = 0 if entitled(queue, job) else 1 if below_limit(queue, job) else 2
    return (group, submitted(job), job["share"], job["id"])


def run_pass(state: Document) -> list[tuple[Job, Document]]:
    """The jobs served in one pass, each with its decision."""
    queue = Queue(state)
    steps: list[tuple[Job, Document]] = []
    refused: set[str] = set()
    while True:
        heads = [min(queue.waiting(share), key=queue_order) for share in queue.shares if queue.waiting(share)]
        open_heads = [head for head in heads if head["id"] not in refused]
        if not open_heads:
            return steps
        head = min(open_heads, key=lambda one: head_order(queue, one))
        decision = decide(queue, head)
        if decision["outcome"] not in ("dispatch", "preempt"):
            refused.add(head["id"])
            continue
        steps.append((head, decision))
        leaving = set(decision["preempted"]) | queue.stopping_for(head)
        queue.jobs = [
            job | {"status": "RUNNING", "stopping_for": None} if job["id"] == head["id"] else job
            for job in queue.jobs
            if job["id"] not in leaving
        ]
        queue.started.add(head["id"])
        refused.clear()


def served(state: Document) -> list[Document]:
    """The decisions of one pass that let a job start, in their order."""
    return [public(decision) for _, decision in run_pass(state)]


# --- the assessment ---------------------------------------------------------------------------------------------------


def apply_change(state: Document, change: Document) -> Document:
    after = dict(state)
    if change.get("environment") is not None:
        after["environment"] = change["environment"]
    shares = dict(state["shares"])
    for name, members in change.get("shares", {}).items():
        if members is None:
            del shares[name]
        else:
            shares[name] = shares.get(name, {}) | members
    after["shares"] = shares
    after["jobs"] = [job for job in state.get("jobs", []) if job["share"] in shares]
    return after


def loss_ms(queue: Queue, job: Job) -> int:
    """GPU-milliseconds that are lost if the job stops now and any unknown checkpoint does not exist."""
    started = ms(job.get("started_at"))
    if started is None or job["status"] not in DISPATCHED:
        return 0
    since = max(started, ms(job.get("checkpointed_at")) or started)
    gpus: int = sum(n * GPUS.get(kind, 1) for kind, n in job["uses"].items())
    return gpus * max(0, queue.at - since)


def hours(gpu_ms: int) -> float:
    return round(gpu_ms / 3_600_000, 4)


def sets_of(state: Document) -> Document:
    """Everything that describes one state: the sets, the steps of the pass and their bounds."""
    queue = Queue(state)
    steps = run_pass(state)
    possible = {one for _, decision in steps for one in decision["possible"]}
    nevers = {job["id"] for job in queue.waiting() if never(queue, job)}
    return {
        "possible": possible,
        "likely": {one for _, decision in steps for one in decision["preempted"]},
        "certain": certain_of(queue, steps),
        "eligible": eligible_of(queue) | possible,
        "never_fits": nevers,
        "blocked_behind": blocked_of(queue, nevers),
        "starts": {job["id"] for job, _ in steps},
        "bounds": bounds_of(queue, steps),
    }


def certain_of(queue: Queue, steps: list[tuple[Job, Document]]) -> set[str]:
    """Union, per type, up to and including the first step that has more than one minimal set.

    Such a step leaves open what is left of every type that its job or one of the possible victims uses.
    """
    certain: set[str] = set()
    closed: set[str] = set()
    for job, decision in steps:
        if closed.isdisjoint(job["uses"]):
            certain |= set(decision["certain"])
        if len(decision["_minimal"]) > 1:
            closed.update(job["uses"], *[queue.job(one)["uses"] for one in decision["possible"]])
    return certain


def eligible_of(queue: Queue) -> set[str]:
    used = queue.usage()
    eligible = set()
    for job in queue.dispatched():
        share = job["share"]
        if any(used[share, kind] > queue.limit(share, kind) for kind in job["uses"]):
            eligible.add(job["id"])
        if queue.in_share(share) and any(
            common_types(job, other) and may_be_lower(job, other) for other in queue.waiting(share)
        ):
            eligible.add(job["id"])
    return eligible


def blocked_of(queue: Queue, nevers: set[str]) -> set[str]:
    return {
        job["id"]
        for job in queue.waiting()
        if job["id"] not in nevers
        and any(
            other["id"] in nevers and queue_order(other) < queue_order(job) for other in queue.waiting(job["share"])
        )
    }


def bounds_of(queue: Queue, steps: list[tuple[Job, Document]]) -> Document:
    def cost(ids: frozenset[str]) -> dict[str, int]:
        jobs = [queue.job(one) for one in ids]
        return {
            "jobs": len(jobs),
            "instances": sum(sum(job["uses"].values()) for job in jobs),
            "gpu_hours": sum(loss_ms(queue, job) for job in jobs),
        }

    result: Document = {}
    for measure in ("jobs", "instances", "gpu_hours"):
        costs = [[cost(one)[measure] for one in decision["_minimal"]] for _, decision in steps]
        result[measure] = [sum(min(one) for one in costs), sum(max(one) for one in costs)]
    result["gpu_hours"] = [hours(end) for end in result["gpu_hours"]]
    return result


def share_table(before: Queue, after: Queue) -> Document:
    table: Document = {}
    used_before, used_after = before.usage(), after.usage()
    for name in {*before.shares, *after.shares}:
        old, new = name in before.shares, name in after.shares
        kinds = set(before.shares[name]["limits"]) if old else set()
        kinds |= set(after.shares[name]["limits"]) if new else set()
        kinds |= {kind for (share, kind), n in [*used_before.items(), *used_after.items()] if share == name and n > 0}
        rows = {}
        for kind in kinds:
            over_before = max(0, used_before[name, kind] - before.limit(name, kind)) if old else 0
            usage = used_after[name, kind] if new else 0
            rows[kind] = {
                "limit_before": before.limit(name, kind) if old else None,
                "limit_after": after.limit(name, kind) if new else None,
                "usage": usage,
                "over_before": over_before,
                "over_after": max(0, usage - after.limit(name, kind)) if new else 0,
                "borrow_cap_after": after.cap(name, kind) if new and after.cap(name, kind) < math.inf else None,
            }
        table[name] = rows
    return table


def oversold(queue: Queue) -> set[tuple[str, str]]:
    """Errors of configuration: the sum of the limits, or the limit of one share, is above the environment."""
    wrong = {("sum", kind) for kind in queue.types() if sum(queue.limit(s, kind) for s in queue.shares) > queue.e(kind)}
    return wrong | {(s, kind) for s in queue.shares for kind in queue.types() if queue.limit(s, kind) > queue.e(kind)}


def unusable(queue: Queue) -> set[tuple[str, str]]:
    """Errors of configuration whatever is allowed: limits for a type that the environment does not have."""
    return {(s, kind) for s in queue.shares for kind in queue.shares[s]["limits"] if kind not in queue.environment}


def reach(queue: Queue, share: str, kind: str) -> float:
    others = sum(queue.limit(other, kind) for other in queue.lenders() if other != share)
    return min(queue.cap(share, kind), queue.limit(share, kind) + others, queue.e(kind))


def reach_fell_below_usage(before: Queue, after: Queue) -> bool:
    used = after.usage()
    for share in set(before.shares) & set(after.shares):
        for kind in {*before.shares[share]["limits"], *after.shares[share]["limits"]}:
            now = reach(after, share, kind)
            if now < reach(before, share, kind) and used[share, kind] >= now:
                return True
    return False


def verdict_of(before: Queue, after: Queue, old: Document, new: Document, terminated: set[str], oversell: bool) -> str:
    table = share_table(before, after)
    grew = any(
        new["bounds"][measure][end] > old["bounds"][measure][end] for measure in ("jobs", "instances") for end in (0, 1)
    )
    if unusable(after) - unusable(before) or (not oversell and oversold(after) - oversold(before)):
        return "invalid"
    if terminated or new["never_fits"] - old["never_fits"]:
        return "destructive"
    if new["possible"] - old["possible"] or grew:
        return "disruptive"
    further = any(row["over_after"] > row["over_before"] for rows in table.values() for row in rows.values())
    if new["eligible"] - old["eligible"] or further:
        return "at_risk"
    if new["possible"] or old["starts"] - new["starts"] or reach_fell_below_usage(before, after):
        return "notice"
    return "safe"


def after_preemption(job: Job) -> str | None:
    if job["status"] not in DISPATCHED:
        return None
    retries = job.get("preemption_retries_before_termination")
    return "failed" if retries is not None and job.get("preempted_attempt_count", 0) >= retries else "requeued"


def risk_of(job: Job, new: Document, terminated: set[str]) -> str:
    if job["id"] in terminated:
        return "terminated"
    for name in ("never_fits", "certain", "likely", "possible", "eligible"):
        if job["id"] in new[name]:
            return name
    if job["status"] in DISPATCHED and job.get("stopping_for") is not None:
        return "stopping"
    return "blocked" if job["id"] in new["blocked_behind"] else "safe"


def acknowledgement(change: Document, terminated: set[str], bounds: Document) -> str:
    given = {name: value for name, value in change.items() if name != "version"}
    text = json.dumps([given, sorted(terminated)], sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{digest}-{bounds['jobs'][1]}-{math.ceil(bounds['gpu_hours'][1])}"


def assess(state: Document, change: Document, *, allow_oversubscription: bool = False) -> Document:
    """What the change would do to the work that is there, without the parts whose wording is free."""
    changed = apply_change(state, change)
    before, after = Queue(state), Queue(changed)
    old, new = sets_of(state), sets_of(changed)
    terminated = {job["id"] for job in before.jobs if job["share"] not in after.shares}
    newly = (
        (new["eligible"] - old["eligible"])
        | (new["possible"] - old["possible"])
        | (new["never_fits"] - old["never_fits"])
        | terminated
    )
    jobs = {}
    for job in before.jobs:
        loss = hours(loss_ms(before, job))
        jobs[job["id"]] = {
            "share": job["share"],
            "risk": risk_of(job, new, terminated),
            "newly": job["id"] in newly,
            "after_preemption": after_preemption(job),
            "loss_gpu_hours": [loss if job.get("checkpointed_at") else 0.0, loss],
            "owner": job.get("owner"),
        }
    table = share_table(before, after)
    over = {name: sum(row["over_after"] for row in rows.values()) for name, rows in table.items()}
    lists = ("eligible", "possible", "likely", "certain", "never_fits", "blocked_behind", "starts")
    return {
        "version": 1,
        "acknowledge": acknowledgement(change, terminated, new["bounds"]),
        "verdict": verdict_of(before, after, old, new, terminated, allow_oversubscription),
        "shares": table,
        "jobs": jobs,
        **{name: sorted(new[name]) for name in lists},
        "newly_eligible": sorted(new["eligible"] - old["eligible"]),
        "newly_possible": sorted(new["possible"] - old["possible"]),
        "terminated": sorted(terminated),
        "bounds": new["bounds"],
        "over_after": {name: n for name, n in over.items() if n > 0},
    }
