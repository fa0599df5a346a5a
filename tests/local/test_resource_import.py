"""What CloudFormation may import: the resource that an ARN names, if it exists."""

from __future__ import annotations

from local_support import InProcess, Queue

from quota_constructs.local.cloudformation import RESOURCE_TYPES


def test_each_type_tells_what_is_there_from_what_is_not() -> None:
    face = InProcess()
    queue = Queue(face, shares={"A": ({"ml.g5.xlarge": 1}, {"strategy": "LEND"})})
    environment = queue.arn.replace("job-queue/training", "service-environment/training-environment")
    arns = (queue.policy_arn, environment, queue.arn, queue.share_arn("A"))
    for resource_type, arn in zip(RESOURCE_TYPES, arns, strict=True):
        assert resource_type.missing(face.batch, arn) is None
        gone = f"{arn}-gone"
        expected = f"Resource of type '{resource_type.name}' with identifier '{gone}' was not found."
        assert resource_type.missing(face.batch, gone) == expected
