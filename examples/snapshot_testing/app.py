from aws_cdk import App, Stack
from constructs import Construct

from quota_constructs import QuotaManagedQueue, ResourceSharing


class TrainingStack(Stack):
    def __init__(self, scope: Construct, construct_id: str, *, research: int = 6, production: int = 2) -> None:
        super().__init__(scope, construct_id)
        queue = QuotaManagedQueue(self, "Training", capacity_limits={"ml.p4d.24xlarge": research + production})
        queue.add_share(
            "Research",
            capacity_limits={"ml.p4d.24xlarge": research},
            resource_sharing=ResourceSharing.lend(),
        )
        queue.add_share(
            "Production",
            capacity_limits={"ml.p4d.24xlarge": production},
            resource_sharing=ResourceSharing.lend_and_borrow(borrow_limit_percent=100),
        )


def declare(app: App) -> None:
    TrainingStack(app, "Training")


if __name__ == "__main__":
    app = App()
    declare(app)
    app.synth()
