from aws_cdk import App, Duration, Stack
from constructs import Construct

from quota_constructs import (
    JobStateTimeLimit,
    QuotaManagedQueue,
    ResourceSharing,
    ShareLifecycle,
    ShareRemoval,
)


class NativeStack(Stack):
    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id, termination_protection=True)
        queue = QuotaManagedQueue(
            self,
            "Training",
            capacity_limits={"ml.trn2.48xlarge": 4},
            job_state_time_limits=[JobStateTimeLimit.quota_management_limit_exceeded(Duration.hours(1))],
        )
        for team in ("Vision", "Language"):
            queue.add_share(
                team,
                capacity_limits={"ml.trn2.48xlarge": 2},
                resource_sharing=ResourceSharing.lend_and_borrow(borrow_limit_percent=100),
                lifecycle=ShareLifecycle.NATIVE,
                on_removal=ShareRemoval.RETAIN,
            )


def declare(app: App) -> None:
    NativeStack(app, "Native")


if __name__ == "__main__":
    app = App()
    declare(app)
    app.synth()
