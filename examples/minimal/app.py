from aws_cdk import App, Stack
from constructs import Construct

from quota_constructs import QuotaManagedQueue, ResourceSharing


class TrainingStack(Stack):
    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)
        queue = QuotaManagedQueue(self, "Training", capacity_limits={"ml.g5.xlarge": 3})
        queue.add_share(
            "Research",
            capacity_limits={"ml.g5.xlarge": 1},
            resource_sharing=ResourceSharing.lend_and_borrow(borrow_limit_percent=100),
            in_share_preemption=True,
        )
        queue.add_share("Nightly", capacity_limits={"ml.g5.xlarge": 1}, resource_sharing=ResourceSharing.lend())
        queue.add_share("Production", capacity_limits={"ml.g5.xlarge": 1}, resource_sharing=ResourceSharing.reserve())


def declare(app: App) -> None:
    TrainingStack(app, "Training")


if __name__ == "__main__":
    app = App()
    declare(app)
    app.synth()
