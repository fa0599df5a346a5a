from __future__ import annotations

from typing import Any

from local_support import G5, Face, Queue, limits, refused, without_metadata


def create(face: Face, name: str = "gpus", of: dict[str, int] | None = None, **more: Any) -> str:
    return face.client.create_service_environment(
        serviceEnvironmentName=name,
        serviceEnvironmentType="SAGEMAKER_TRAINING",
        capacityLimits=limits(of or {G5: 3}),
        **more,
    )["serviceEnvironmentArn"]


def describe(face: Face, *names: str) -> list[dict[str, Any]]:
    more = {"serviceEnvironments": list(names)} if names else {}
    return face.client.describe_service_environments(**more)["serviceEnvironments"]


def test_status_goes_from_creating_to_valid_to_gone(face: Face) -> None:
    arn = create(face, tags={"team": "a"})
    want = {
        "serviceEnvironmentName": "gpus",
        "serviceEnvironmentArn": arn,
        "serviceEnvironmentType": "SAGEMAKER_TRAINING",
        "state": "ENABLED",
        "status": "CREATING",
        "capacityLimits": limits({G5: 3}),
        "tags": {"team": "a"},
    }
    assert describe(face, "gpus") == [want]
    face.advance(2)
    assert describe(face, arn) == [want | {"status": "VALID"}]
    face.client.update_service_environment(serviceEnvironment="gpus", state="DISABLED", capacityLimits=limits({G5: 9}))
    changed = want | {"state": "DISABLED", "capacityLimits": limits({G5: 9})}
    assert describe(face, "gpus") == [changed | {"status": "UPDATING"}]
    face.advance(2)
    assert describe(face, "gpus") == [changed | {"status": "VALID"}]
    assert without_metadata(face.client.delete_service_environment(serviceEnvironment=arn)) == {}
    assert describe(face, "gpus") == [changed | {"status": "DELETING"}]
    face.advance(2)
    assert describe(face, "gpus") == []


def test_fails_for_limits_the_service_does_not_take(face: Face) -> None:
    call = face.client.create_service_environment
    members: dict[str, Any] = {"serviceEnvironmentName": "e", "serviceEnvironmentType": "SAGEMAKER_TRAINING"}
    six = {f"ml.t{n}.large": 1 for n in range(6)}
    for bad, want in [
        ([], "no capacity limit, allowed are 1 to 5; give it at least one [QS001]"),
        (limits(six), "6 capacity limits, allowed are 1 to 5; drop 1 or use a second queue [QS001]"),
        (limits({G5: 1}) * 2, f"has 2 limits for {G5} (1, 1), allowed is one; keep one of them [QS003]"),
        ([{"capacityUnit": G5}], "must be a whole number of instances from 1, got nothing"),
        ([{"maxCapacity": 1}], "capacityLimits[0].capacityUnit is missing"),
        (limits({G5: -1}), "must be a whole number of instances from 1, got -1"),
    ]:
        assert want in refused(call, capacityLimits=bad, **members)


def test_fails_for_names(face: Face) -> None:
    for name in ("", "with blank", "dot.dot", "x" * 129, "ünicode"):
        message = refused(
            face.client.create_service_environment,
            serviceEnvironmentName=name,
            serviceEnvironmentType="SAGEMAKER_TRAINING",
            capacityLimits=limits({G5: 1}),
        )
        assert message.startswith("the name of the service environment must be 1 to 128 letters, digits, hyphens and")
    create(face, "a_B-" + "9" * 124)


def test_fails_for_an_existing_name(face: Face) -> None:
    create(face)
    message = refused(
        face.client.create_service_environment,
        serviceEnvironmentName="gpus",
        serviceEnvironmentType="SAGEMAKER_TRAINING",
        capacityLimits=limits({G5: 1}),
    )
    assert message == "Object already exists"


def test_deletion_needs_disabled_settled_and_detached(face: Face) -> None:
    queue = Queue(face)
    name = f"{queue.name}-environment"
    delete, update = face.client.delete_service_environment, face.client.update_service_environment
    assert "state must be DISABLED first, got ENABLED" in refused(delete, serviceEnvironment=name)
    update(serviceEnvironment=name, state="DISABLED")
    assert "resource is being modified (status UPDATING)" in refused(delete, serviceEnvironment=name)
    face.advance(2)
    assert "found existing JobQueue relationship: training" in refused(delete, serviceEnvironment=name)


def test_fails_to_change_what_is_being_created(face: Face) -> None:
    create(face)
    message = refused(face.client.update_service_environment, serviceEnvironment="gpus", state="DISABLED")
    assert "resource is being modified (status CREATING)" in message


def test_fails_for_any_instance_in_a_queue_with_shares(face: Face) -> None:
    queue = Queue(face)
    message = refused(
        face.client.update_service_environment,
        serviceEnvironment=f"{queue.name}-environment",
        capacityLimits=limits({"NUM_INSTANCES": 9}),
    )
    assert "the service environment has a limit in NUM_INSTANCES" in message


def test_at_most_50(face: Face) -> None:
    for number in range(50):
        create(face, f"e{number}")
    message = refused(
        face.client.create_service_environment,
        serviceEnvironmentName="e50",
        serviceEnvironmentType="SAGEMAKER_TRAINING",
        capacityLimits=limits({G5: 1}),
    )
    assert message == "at most 50 service environments are allowed, there are 50"


def test_pages_hold_every_environment_once(face: Face) -> None:
    names = {f"e{number}" for number in range(7)}
    for name in names:
        create(face, name)
    pages = face.client.get_paginator("describe_service_environments").paginate(PaginationConfig={"PageSize": 3})
    found = [[environment["serviceEnvironmentName"] for environment in page["serviceEnvironments"]] for page in pages]
    assert [len(page) for page in found] == [3, 3, 1]
    assert {name for page in found for name in page} == names
    assert "maxResults must be from 1 to 100, got 101" in refused(
        face.client.describe_service_environments, maxResults=101
    )
    assert "not one that this operation gave out" in refused(face.client.describe_service_environments, nextToken="x")
