"""What the rules find, case by case: what the examples in the registry leave open."""

from typing import Any

import pytest
from rules_support import BOTH, G5, P5, limits, queue, share

from quota_scheduler.rules import RULES, check_queue
from quota_scheduler.rules.documents import queue_configuration

CASES = [
    # rule, what it is about, document, places where the rule finds something
    ("QS001", "five types are allowed", queue(share("a", p5=1, g5=1, t1=1, t2=1, t3=1)), []),
    ("QS001", "six are not", queue(share("a", p5=1, g5=1, t1=1, t2=1, t3=1, t4=1)), ["shares.a.limits"]),
    ("QS001", "nor is none in the environment", queue(environment={}), ["environment"]),
    ("QS001", "the environment may be unknown", queue(share("a", p5=1)), []),
    ("QS002", "nothing", queue(share("a", p5=0)), [f"shares.a.limits.{P5}"]),
    ("QS002", "text, as CloudFormation allows it", queue(share("a", p5="4")), []),
    ("QS002", "text that is no number", queue(share("a", p5="four")), [f"shares.a.limits.{P5}"]),
    ("QS002", "half an instance", queue(share("a", p5=1.5)), [f"shares.a.limits.{P5}"]),
    ("QS002", "the most the service's integers hold", queue(share("a", p5=2**31 - 1)), []),
    ("QS002", "more than that", queue(share("a", p5=2**31)), [f"shares.a.limits.{P5}"]),
    ("QS002", "a number too long to be written", queue(share("a", p5=10**5000)), [f"shares.a.limits.{P5}"]),
    ("QS002", "a flag", queue(share("a", p5=True)), [f"shares.a.limits.{P5}"]),
    (
        "QS002",
        "left out",
        queue({"quotaShareName": "a", "capacityLimits": [{"capacityUnit": P5}]}),
        [f"shares.a.limits.{P5}"],
    ),
    ("QS002", "not known yet", queue(share("a", p5={"Ref": "Limit"})), []),
    ("QS002", "every wrong amount", queue(share("a", p5=0, g5=-1)), [f"shares.a.limits.{G5}", f"shares.a.limits.{P5}"]),
    (
        "QS003",
        "twice with the same amount",
        queue({"quotaShareName": "a", "capacityLimits": limits(p5=1) * 2}),
        [f"shares.a.limits.{P5}"],
    ),
    (
        "QS003",
        "in the environment",
        {"environment": {"capacityLimits": limits(p5=1) + limits(p5=2)}},
        [f"environment.{P5}"],
    ),
    ("QS004", "0 is given, too", queue(share("a", "LEND", 0, p5=1)), ["shares.a.borrow_limit_percent"]),
    (
        "QS004",
        "not known which strategy",
        queue({"quotaShareName": "a", "resourceSharingConfiguration": {"strategy": {"Ref": "S"}, "borrowLimit": 5}}),
        [],
    ),
    ("QS005", "in a share", queue(share("a", NUM_INSTANCES=4)), ["shares.a.limits.NUM_INSTANCES"]),
    (
        "QS005",
        "no type at all",
        queue({"quotaShareName": "a", "capacityLimits": [{"maxCapacity": 1}]}),
        ["shares.a.limits"],
    ),
    ("QS006", "a type to come", queue(share("a", p9=1)), ["shares.a.limits.p9"]),
    ("QS006", "a type of today", queue(share("a", p5=1)), []),
    ("QS007", "as much as there is", queue(share("a", p5=8), environment={"p5": 8}), []),
    ("QS007", "allowed by name", queue(share("a", p5=9), environment={"p5": 8}, allowOversubscription=True), []),
    ("QS007", "environment not known", queue(share("a", p5=9), environment={"p5": {"Ref": "Max"}}), []),
    (
        "QS008",
        "also if oversubscription is allowed",
        queue(share("a", g5=1), environment={"p5": 8}, allowOversubscription=True),
        [f"shares.a.limits.{G5}"],
    ),
    (
        "QS008",
        "a type of the environment is not known",
        queue(share("a", g5=1), environment={"p5": 1})
        | {"environment": {"capacityLimits": [{"capacityUnit": {"Ref": "T"}, "maxCapacity": 1}]}},
        [],
    ),
    (
        "QS009",
        "each type by itself",
        queue(share("a", p5=4, g5=3), share("b", p5=4, g5=1), environment={"p5": 8, "g5": 3}),
        [f"environment.{G5}"],
    ),
    (
        "QS009",
        "what is known is too much already",
        queue(share("a", p5=9), share("b", p5={"Ref": "B"}), environment={"p5": 8}),
        [f"environment.{P5}"],
    ),
    (
        "QS010",
        "a type that no share has",
        queue(share("a", p5=8), environment={"p5": 8, "g5": 1}),
        [f"environment.{G5}"],
    ),
    ("QS010", "no share yet", queue(environment={"p5": 8}), []),
    ("QS010", "a limit is not known", queue(share("a", p5={"Ref": "A"}), environment={"p5": 8}), []),
    (
        "QS012",
        "blanks, dots and length",
        queue(share("a b"), share("a.b"), share("x" * 129), share("")),
        ["shares.3.name", "shares.a b.name", "shares.a.b.name", "shares." + "x" * 129 + ".name"],
    ),
    ("QS012", "letters of other scripts", queue(share("équipe")), ["shares.équipe.name"]),
    ("QS012", "hyphens alone", queue(share("--_")), []),
    ("QS012", "a name that is not known", queue({"quotaShareName": {"Ref": "Name"}}), []),
    ("QS012", "a generated name of the queue", {"queue": {"name": None}}, []),
    ("QS013", "only the doubled one", queue(share("a"), share("a"), share("b")), ["shares.a.name"]),
    ("QS014", "lower case", queue(share("a", "reserve")), ["shares.a.strategy"]),
    ("QS015", "half a percent", queue(share("a", BOTH, 0.5)), ["shares.a.borrow_limit_percent"]),
    ("QS015", "text from a template", queue(share("a", BOTH, "200")), []),
    ("QS015", "more than everything", queue(share("a", BOTH, 100_000)), []),
    ("QS015", "the most the service's integers hold", queue(share("a", BOTH, 2**31 - 1)), []),
    ("QS015", "more than that", queue(share("a", BOTH, 2**31)), ["shares.a.borrow_limit_percent"]),
    ("QS015", "a number too long to be written", queue(share("a", BOTH, 10**5000)), ["shares.a.borrow_limit_percent"]),
    ("QS016", "another strategy", queue(share("a", "LEND")), []),
    ("QS017", "one may", queue(share("a", BOTH, -1, p5=4), share("b", "LEND", p5=12), environment={"p5": 16}), []),
    (
        "QS017",
        "two may, of types that both have",
        queue(share("a", BOTH, -1, p5=4), share("b", BOTH, p5=8), share("c", BOTH, -1, g5=1)),
        ["shares.a.borrow_limit_percent", "shares.b.borrow_limit_percent"],
    ),
    (
        "QS018",
        "enough for one of two types",
        queue(share("a", BOTH, 50, p5=2, g5=1)),
        ["shares.a.borrow_limit_percent"],
    ),
    ("QS018", "a whole instance", queue(share("a", BOTH, 34, p5=3)), []),
    ("QS018", "no borrowing meant", queue(share("a", BOTH, 0, p5=1)), []),
    (
        "QS019",
        "AWS's example: two may be borrowed, one is lent",
        queue(share("a", BOTH, 200, p5=1), share("b", "LEND", p5=1), share("c", "RESERVE", p5=1)),
        ["shares.a.borrow_limit_percent"],
    ),
    (
        "QS019",
        "nobody lends at all, which QS021 says",
        queue(share("a", BOTH, 200, p5=1), share("c", "RESERVE", p5=1)),
        [],
    ),
    ("QS020", "a single share", queue(share("a", "RESERVE", p5=1)), []),
    (
        "QS021",
        "lenders without a borrower",
        queue(share("a", "LEND", p5=1), share("b", "LEND", p5=1)),
        ["shares"],
    ),
    (
        "QS021",
        "one lender among shares that keep to themselves",
        queue(share("a", "LEND", p5=1), share("b", "RESERVE", p5=1)),
        ["shares.a.strategy"],
    ),
    (
        "QS021",
        "a single share that lends",
        queue(share("a", "LEND", p5=1)),
        [],
    ),
    (
        "QS021",
        "a borrower of another type",
        queue(share("a", "LEND", p5=1), share("b", BOTH, 100, g5=1), share("c", "LEND", g5=1)),
        ["shares.a.strategy"],
    ),
    (
        "QS021",
        "a borrow limit of 0",
        queue(share("a", BOTH, 0, p5=1), share("b", BOTH, 100, p5=1)),
        ["shares.a.borrow_limit_percent"],
    ),
    (
        "QS021",
        "one borrower that also lends is none for itself",
        queue(share("a", BOTH, -1, p5=1)),
        ["shares.a.strategy"],
    ),
    ("QS021", "two that do both", queue(share("a", BOTH, 100, p5=1), share("b", BOTH, 100, p5=1)), []),
    (
        "QS022",
        "a flag of YAML",
        queue({"quotaShareName": "a", "preemptionConfiguration": {"inSharePreemption": True}}),
        [],
    ),
    (
        "QS022",
        "lower case",
        queue({"quotaShareName": "a", "preemptionConfiguration": {"inSharePreemption": "enabled"}}),
        ["shares.a.in_share_preemption"],
    ),
    (
        "QS023",
        "queue, environment and share",
        {
            "queue": {"state": "ON"},
            "environment": {"state": "OFF"},
            "shares": [{"quotaShareName": "a", "state": "PAUSED"}],
        },
        ["environment.state", "queue.state", "shares.a.state"],
    ),
    ("QS023", "left out", {"queue": {"state": None}}, []),
    ("QS024", "fifty tags", queue({"quotaShareName": "a", "tags": {f"k{n}": "" for n in range(50)}}), []),
    ("QS024", "fifty-one", queue({"quotaShareName": "a", "tags": {f"k{n}": "" for n in range(51)}}), ["shares.a.tags"]),
    ("QS024", "a list, as other resources have it", {"queue": {"tags": [{"Key": "a", "Value": "b"}]}}, ["queue.tags"]),
    (
        "QS024",
        "lengths",
        {"environment": {"tags": {"k" * 129: "", "v": "x" * 257, "ok": "x" * 256}}},
        ["environment.tags." + "k" * 129, "environment.tags.v"],
    ),
    (
        "QS024",
        "a value that is not known, and a number",
        {"schedulingPolicy": {"tags": {"a": {"Ref": "T"}, "b": 1}}},
        ["policy.tags.b"],
    ),
    ("QS024", "a reserved key", queue({"quotaShareName": "a", "tags": {"AWS:team": "x"}}), ["shares.a.tags.AWS:team"]),
    (
        "QS025",
        "a slip",
        {"jobStateTimeLimitActions": [{"reason": "CAPACITY:INSUFICIENT_INSTANCE_CAPACITY"}]},
        ["time_limit_actions.0.reason"],
    ),
    (
        "QS025",
        "all three",
        {
            "jobStateTimeLimitActions": [
                {"reason": r}
                for r in (
                    "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY",
                    "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED",
                    "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE",
                )
            ]
        },
        [],
    ),
    (
        "QS026",
        "both ends are allowed",
        {"jobStateTimeLimitActions": [{"maxTimeSeconds": 600}, {"maxTimeSeconds": 86400}]},
        [],
    ),
    (
        "QS026",
        "beyond both ends",
        {"jobStateTimeLimitActions": [{"maxTimeSeconds": 599}, {"maxTimeSeconds": 86401}]},
        ["time_limit_actions.0.max_time_seconds", "time_limit_actions.1.max_time_seconds"],
    ),
    (
        "QS026",
        "within the queue's own properties",
        {"Queue": {"JobStateTimeLimitActions": [{"MaxTimeSeconds": "60"}]}},
        ["time_limit_actions.0.max_time_seconds"],
    ),
    ("QS029", "below 0", {"queue": {"priority": -1}}, ["queue.priority"]),
    ("QS029", "0", {"queue": {"priority": 0}}, []),
    ("QS031", "two environments", {"queue": {"serviceEnvironmentOrder": [{}, {}]}}, ["queue.service_environments"]),
    (
        "QS031",
        "compute environments",
        {"queue": {"computeEnvironmentOrder": [{}], "serviceEnvironmentOrder": [{}]}},
        ["queue.compute_environments"],
    ),
    ("QS034", "not said", {"schedulingPolicy": {"name": "p"}}, []),
    ("QS034", "the other kind", {"schedulingPolicy": {"fairsharePolicy": {}}}, ["policy"]),
    (
        "QS035",
        "another word",
        {"schedulingPolicy": {"quotaSharePolicy": {"idleResourceAssignmentStrategy": "LIFO"}}},
        ["policy.idle_resource_assignment"],
    ),
    (
        "QS036",
        "unset",
        {"jobs": [{"jobName": "a", "schedulingPriority": None}, {"jobName": "b", "schedulingPriority": 0}]},
        [],
    ),
    ("QS036", "below 0", {"jobs": [{"jobName": "a", "schedulingPriority": -1}]}, ["jobs.0.priority"]),
    ("QS038", "eleven", {"jobs": [{"jobName": "a", "retryStrategy": {"attempts": 11}}]}, ["jobs.0.attempts"]),
    ("QS042", "none given", {"jobs": [{"jobName": "a", "quotaShareName": ""}]}, ["jobs.0.share"]),
    ("QS042", "shares not known", {"jobs": [{"jobName": "a", "quotaShareName": "x"}]}, []),
    (
        "QS043",
        "told once a type, of those that are known",
        queue(share("a", m5=1), share("b", m5=1), environment={"m5": 2, "ml.m99.large": 1}),
        ["environment.ml.m5.large"],
    ),
]


@pytest.mark.parametrize(
    ("rule", "document", "want"),
    [pytest.param(rule, document, want, id=f"{rule} {about}") for rule, about, document, want in CASES],
)
def test_finds(rule: str, document: dict[str, Any], want: list[str]) -> None:
    found = check_queue(queue_configuration(document))
    assert sorted(finding.where for finding in found if finding.id == rule) == want


def test_every_case_names_a_rule() -> None:
    assert {rule for rule, *_ in CASES} <= set(RULES)
