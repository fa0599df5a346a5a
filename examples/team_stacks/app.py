from aws_cdk import App, Stack
from aws_cdk.aws_iam import AccountRootPrincipal, Role
from constructs import Construct

from quota_constructs import ChangeGuard, GuardAction, QuotaManagedQueue, QuotaShare, ResourceSharing

QUEUE_ARN = "arn:aws:batch:eu-west-1:111122223333:job-queue/training"  # or -c job-queue-arn=…


class PlatformStack(Stack):
    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)
        queue = QuotaManagedQueue(
            self,
            "Training",
            capacity_limits={"ml.p5.48xlarge": 8, "ml.g6.12xlarge": 16},
            job_queue_name="training",  # a name that teams can rely on
            guard=ChangeGuard(max_gpu_hours=100, protect_tags={"class": "production"}),
        )
        queue.grants.administer(Role(self, "Operators", assumed_by=AccountRootPrincipal()))


class TeamStack(Stack):
    def __init__(self, scope: Construct, construct_id: str, *, job_queue_arn: str, instances: dict[str, int]) -> None:
        super().__init__(scope, construct_id)
        queue = QuotaManagedQueue.from_job_queue_arn(
            self, "Queue", job_queue_arn, guard=ChangeGuard(at_risk=GuardAction.BLOCK)
        )
        share = QuotaShare(
            self,
            "Share",
            queue=queue,
            quota_share_name=construct_id.lower(),
            capacity_limits=instances,
            resource_sharing=ResourceSharing.lend_and_borrow(borrow_limit_percent=50),
        )
        team = Role(self, "Scientists", assumed_by=AccountRootPrincipal())
        training = Role(self, "TrainingJobs", assumed_by=AccountRootPrincipal())
        tags = {"team": construct_id.lower()}
        share.grants.submit(team, max_priority=5, tags=tags, execution_role=training)
        share.grants.operate(team, max_priority=5, tags=tags)
        share.grants.observe(team)


def declare(app: App) -> None:
    PlatformStack(app, "Platform")
    arn = app.node.try_get_context("job-queue-arn") or QUEUE_ARN
    TeamStack(app, "Vision", job_queue_arn=arn, instances={"ml.p5.48xlarge": 4})
    TeamStack(app, "Language", job_queue_arn=arn, instances={"ml.p5.48xlarge": 4, "ml.g6.12xlarge": 16})


if __name__ == "__main__":
    app = App()
    declare(app)
    app.synth()
