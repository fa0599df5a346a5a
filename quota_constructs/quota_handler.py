"""The one Lambda function of a stack, which serves its guard and its managed shares."""

from typing import TYPE_CHECKING, cast

from aws_cdk import Duration, IgnoreMode, RemovalPolicy, Stack
from aws_cdk.aws_iam import PolicyDocument, PolicyStatement, Role, ServicePrincipal
from aws_cdk.aws_lambda import CfnEventInvokeConfig, CfnFunction, Code, Function, Runtime
from aws_cdk.aws_logs import LogGroup, RetentionDays
from constructs import Construct

from quota_constructs import _handler_asset, _handler_policy
from quota_constructs.errors import QuotaConstructError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_cdk import CfnResource
    from aws_cdk.aws_ec2 import ISecurityGroup, IVpc, SubnetSelection
    from aws_cdk.aws_iam import IManagedPolicy, IRole
    from aws_cdk.aws_kms import IKey
    from aws_cdk.aws_sns import ITopic
    from constructs import IConstruct

_ID = "QuotaHandler"  # part of logical ids: a change would alter the ServiceToken, which CloudFormation refuses
_TIMEOUT_SECONDS = 600
SERVICE_TIMEOUT_SECONDS = _TIMEOUT_SECONDS + 60
"""How long CloudFormation waits for an answer: a minute more than the function may run."""


class QuotaHandler(Construct):
    """The function behind `Custom::QuotaGuard` and `Custom::QuotaShare`, one for each stack.

    It is made on first use. Call `QuotaHandler.of(stack, …)` before the first queue or share of the stack to set
    what an organisation prescribes for functions.

    Args:
        scope: The stack.
        construct_id: Always `QuotaHandler`.
        role: Role of the function; it gets the permissions the handler needs. By default one with just those.
        permissions_boundary: Boundary of the role that is made by default.
        vpc: Network to run in; it must reach CloudFormation, Batch and the S3 address that answers go to. By default
            none.
        vpc_subnets: Subnets in the network. By default as `aws_lambda.Function` chooses.
        security_groups: Security groups in the network. By default a new one.
        log_encryption_key: Key for the log group. By default CloudWatch Logs' own encryption.
        log_retention: How long log lines are kept. By default six months.
        runtime: A Python runtime, 3.11 or newer. By default Python 3.14; name an older one for a Region without it.
        owner_tag: Key of the job tag that names the owner of a job in reports. By default `owner`.

    Attributes:
        function: The function.
        log_group: Its log group.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        role: "IRole | None" = None,
        permissions_boundary: "IManagedPolicy | None" = None,
        vpc: "IVpc | None" = None,
        vpc_subnets: "SubnetSelection | None" = None,
        security_groups: "list[ISecurityGroup] | None" = None,
        log_encryption_key: "IKey | None" = None,
        log_retention: RetentionDays | None = None,
        runtime: Runtime | None = None,
        owner_tag: str | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self.log_group = LogGroup(
            self,
            "LogGroup",
            retention=log_retention or RetentionDays.SIX_MONTHS,
            encryption_key=log_encryption_key,
            removal_policy=RemovalPolicy.DESTROY,
        )
        statements = _handler_policy.statements(self.log_group.log_group_arn)
        if role is None:
            self.role: IRole = Role(
                self,
                "Role",
                assumed_by=ServicePrincipal("lambda.amazonaws.com"),
                description="Reads Batch queues and changes quota shares for the stack's quota guard",
                inline_policies={"QuotaHandler": PolicyDocument.from_json({"Statement": statements})},
                permissions_boundary=permissions_boundary,
            )
        else:
            self.role = role
        self.function = Function(
            self,
            "Function",
            code=Code.from_asset(
                str(_handler_asset.source_root()),
                exclude=_handler_asset.EXCLUDE,
                ignore_mode=IgnoreMode.GIT,
            ),
            handler=_handler_asset.HANDLER,
            runtime=runtime or Runtime.PYTHON_3_14,
            role=self.role,
            log_group=self.log_group,
            description="Checks changes of AWS Batch quota shares against running jobs, and makes them",
            timeout=Duration.seconds(_TIMEOUT_SECONDS),
            memory_size=512,
            environment=_environment(owner_tag),
            vpc=vpc,
            vpc_subnets=vpc_subnets,
            security_groups=security_groups,
        )
        if role is not None:
            for statement in statements:
                granted = role.add_to_principal_policy(PolicyStatement.from_json(statement))
                if granted.policy_dependable is not None:
                    self.function.node.add_dependency(granted.policy_dependable)
        no_retries = CfnEventInvokeConfig(
            self,
            "NoRetries",
            function_name=cast("CfnFunction", self.function.node.default_child).ref,
            qualifier="$LATEST",
            maximum_event_age_in_seconds=_TIMEOUT_SECONDS,
            maximum_retry_attempts=0,
        )
        self.before_resources: list[CfnResource] = [no_retries]
        self.service_token = self.function.function_arn

    def grant_publish(self, topic: "ITopic") -> None:
        """Let the handler publish to a topic."""
        topic.grant_publish(self.role)

    @classmethod
    def of(
        cls,
        scope: "IConstruct",
        *,
        role: "IRole | None" = None,
        permissions_boundary: "IManagedPolicy | None" = None,
        vpc: "IVpc | None" = None,
        vpc_subnets: "SubnetSelection | None" = None,
        security_groups: "list[ISecurityGroup] | None" = None,
        log_encryption_key: "IKey | None" = None,
        log_retention: RetentionDays | None = None,
        runtime: Runtime | None = None,
        owner_tag: str | None = None,
    ) -> "QuotaHandler":
        """Give the handler of a construct's stack; make it when there is none yet.

        Args:
            scope: The stack, or any construct in it.
            role: See the class.
            permissions_boundary: See the class.
            vpc: See the class.
            vpc_subnets: See the class.
            security_groups: See the class.
            log_encryption_key: See the class.
            log_retention: See the class.
            runtime: See the class.
            owner_tag: See the class.

        Raises:
            QuotaConstructError: Options are given, and the handler exists already.
        """
        options = {
            "role": role,
            "permissions_boundary": permissions_boundary,
            "vpc": vpc,
            "vpc_subnets": vpc_subnets,
            "security_groups": security_groups,
            "log_encryption_key": log_encryption_key,
            "log_retention": log_retention,
            "runtime": runtime,
            "owner_tag": owner_tag,
        }
        given = {name: value for name, value in options.items() if value is not None}
        stack = Stack.of(scope)
        existing = stack.node.try_find_child(_ID)
        if existing is None:
            return cls(stack, _ID, **given)  # type: ignore[arg-type]  # the names and types are those of __init__
        if given:
            raise QuotaConstructError(
                f"handler of stack {stack.node.path} exists already, got {', '.join(given)}; "
                "call QuotaHandler.of(stack, …) before the stack's first queue or share"
            )
        return cast("QuotaHandler", existing)


def _environment(owner_tag: str | None) -> "Mapping[str, str] | None":
    return None if owner_tag is None else {"QUOTA_OWNER_TAG": owner_tag}
