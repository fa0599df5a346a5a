"""The queue of AWS's walkthrough "Getting started with quota management"."""

from aws_cdk import RemovalPolicy, Stack
from constructs import Construct

from quota_constructs import ChangeGuard, QuotaManagedQueue, ResourceSharing


class TrainingQueueStack(Stack):
    """Three instances, three shares: QS1 borrows what QS2 lends, QS3 keeps its own in reserve."""

    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)

        queue = QuotaManagedQueue(
            self,
            "Training",
            capacity_limits={"ml.g5.xlarge": 3},
            guard=ChangeGuard(),
            removal_policy=RemovalPolicy.DESTROY,  # leave nothing behind; the default keeps both
        )
        queue.add_share(
            "QS1",
            capacity_limits={"ml.g5.xlarge": 1},
            resource_sharing=ResourceSharing.lend_and_borrow(borrow_limit_percent=200),
            in_share_preemption=True,
        )
        queue.add_share(
            "QS2",
            capacity_limits={"ml.g5.xlarge": 1},
            resource_sharing=ResourceSharing.lend(),
        )
        queue.add_share(
            "QS3",
            capacity_limits={"ml.g5.xlarge": 1},
            resource_sharing=ResourceSharing.reserve(),
        )
