"""The one Lambda function of a stack, which serves its guard and its managed shares."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from aws_cdk import CfnResource, RemovalPolicy
from aws_cdk.aws_iam import CfnRole
from aws_cdk.aws_lambda import CfnEventInvokeConfig, CfnFunction
from aws_cdk.aws_logs import LogGroup, RetentionDays
from aws_cdk.aws_s3_assets import Asset
from constructs import Construct

from quota_constructs import _handler_asset, _handler_network, _handler_options, _handler_policy, _handler_role
from quota_constructs._scope import path_of, root_of, stack_of
from quota_constructs.construct_rules import HANDLER_FIRST

if TYPE_CHECKING:
    from aws_cdk import Stage
    from aws_cdk.aws_ec2 import ISecurityGroup, IVpc, SubnetSelection
    from aws_cdk.aws_iam import IManagedPolicy, IRole, Policy
    from aws_cdk.aws_kms import IKey
    from aws_cdk.aws_lambda import Runtime
    from aws_cdk.aws_sns import ITopic
    from constructs import IConstruct

_ID = "QuotaHandler"  # part of logical ids: a change would alter the ServiceToken, which CloudFormation refuses
_KEPT = "_quota_constructs_handler"
_RUNTIME = "python3.14"
_TIMEOUT_SECONDS = 600
_MEMORY_MEGABYTES = 512
SERVICE_TIMEOUT_SECONDS = _TIMEOUT_SECONDS + 60
"""How long CloudFormation waits for an answer: a minute more than the function may run."""


class QuotaHandler(Construct):
    """The function behind `Custom::QuotaGuard` and `Custom::QuotaShare`, one for each stack.

    It is made on first use. Call `QuotaHandler.of(stack, …)` before the first queue or share of the stack to set
    what an organisation prescribes for functions. It is never retried by Lambda, and an event that waited longer than
    the function may run is dropped: CloudFormation has given up on it, and what it asks for may be wrong by then.

    Args:
        scope: The stack.
        construct_id: Always `QuotaHandler`.
        role: Role of the function, of whatever stack; it gets the permissions the handler needs, by a policy in the
            handler's stack. By default one with just those.
        permissions_boundary: Boundary of the role that is made by default.
        vpc: Network to run in; it must reach CloudFormation, Batch and the S3 address that answers go to. By default
            none.
        vpc_subnets: Subnets in the network. By default its private ones.
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
        runtime: "Runtime | None" = None,
        owner_tag: str | None = None,
    ) -> None:
        if role is not None:
            _handler_role.check(scope, role)
        super().__init__(scope, construct_id)
        setattr(scope, _KEPT, self)
        self.log_group = LogGroup(
            self,
            "LogGroup",
            retention=log_retention or RetentionDays.SIX_MONTHS,
            encryption_key=log_encryption_key,
            removal_policy=RemovalPolicy.DESTROY,
        )
        network = None if vpc is None else _handler_network.network(self, vpc, vpc_subnets, security_groups)
        statements = _handler_policy.statements(self.log_group.log_group_arn)
        if network is not None:
            statements.append(_handler_network.statement())
        self._role = role
        self._made_role = None if role is not None else self._make_role(statements, permissions_boundary)
        code = self._code()
        self.function = CfnFunction(
            self,
            "Resource",
            code=CfnFunction.CodeProperty(s3_bucket=code.s3_bucket_name, s3_key=code.s3_object_key),
            handler=_handler_asset.HANDLER,
            runtime=_RUNTIME if runtime is None else runtime.name,
            role=cast("IRole", role).role_arn if self._made_role is None else self._made_role.attr_arn,
            description="Checks changes of AWS Batch quota shares against running jobs, and makes them",
            timeout=_TIMEOUT_SECONDS,
            memory_size=_MEMORY_MEGABYTES,
            logging_config=CfnFunction.LoggingConfigProperty(log_group=self.log_group.log_group_name),
            environment=None if owner_tag is None else _environment(owner_tag),
            vpc_config=None if network is None else _vpc_config(network),
        )
        code.add_resource_metadata(self.function, "Code")
        if network is not None:
            self.function.node.add_dependency(network.connectivity)
        if role is not None:
            self.function.node.add_dependency(_handler_role.attach(self, "Permissions", role, statements))
        self._no_retries = CfnEventInvokeConfig(
            self,
            "NoRetries",
            function_name=self.function.ref,
            qualifier="$LATEST",
            maximum_event_age_in_seconds=_TIMEOUT_SECONDS,
            maximum_retry_attempts=0,
        )
        self.service_token: str = self.function.attr_arn

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
        runtime: "Runtime | None" = None,
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
            QuotaConstructError: Options are given, and the handler exists already; or an option has no effect
                without another one or beside it, or the runtime is no Python from 3.11.
            QuotaTypeError: An option has the wrong type.
        """
        options: dict[str, Any] = {
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
        stack = stack_of(scope)
        existing = cast("QuotaHandler | None", getattr(stack, _KEPT, None))
        if existing is None:
            if given:
                _handler_options.check(f"{path_of(stack)}/{_ID}", options)
            return cls(stack, _ID, **given)
        if given:
            raise HANDLER_FIRST.broken(
                f"handler of the stack exists already, got {', '.join(given)}; "
                "call QuotaHandler.of(stack, …) before the stack's first queue or share",
                path_of(stack),
            )
        return existing

    @property
    def role(self) -> "IRole":
        """Role of the function, for further permissions."""
        if self._role is None:
            from aws_cdk.aws_iam import Role

            # By its name, because a role may get a path later, and the name in an ARN comes after the path.
            self._role = Role.from_role_name(self, "RoleReference", cast("CfnRole", self._made_role).ref)
        return self._role

    def may_publish(self, topic: "ITopic") -> "Policy":
        """Let the function publish to a topic.

        Args:
            topic: The topic.

        Returns:
            The policy that lets it, to be waited for.
        """
        return _handler_role.attach_publish(self, "Publish", self.role, topic)

    def serve(self, resource: CfnResource) -> None:
        """Make a custom resource wait until the function is ready to answer, and is set to answer once.

        Args:
            resource: The custom resource.
        """
        resource.add_resource_dependency(self._no_retries)

    def _code(self) -> Asset:
        archive = _handler_asset.archive()
        assets = Path(cast("Stage", root_of(self)).asset_outdir)
        return Asset(self, "Code", path=str(archive.write(assets)), asset_hash=archive.fingerprint)

    def _make_role(self, statements: list[dict[str, Any]], permissions_boundary: "IManagedPolicy | None") -> CfnRole:
        """Make a role with one inline policy: a policy resource could be deleted before the last custom resource."""
        role = CfnRole(
            self,
            "Role",
            assume_role_policy_document=_handler_policy.TRUST,
            description="Reads Batch queues and changes quota shares for the stack's quota guard",
            policies=[
                CfnRole.PolicyProperty(
                    policy_name="QuotaHandler",
                    policy_document={"Version": "2012-10-17", "Statement": statements},
                )
            ],
            permissions_boundary=None if permissions_boundary is None else permissions_boundary.managed_policy_arn,
        )
        _handler_policy.acknowledge_wildcards(role)
        return role


def _environment(owner_tag: str) -> CfnFunction.EnvironmentProperty:
    return CfnFunction.EnvironmentProperty(variables={"QUOTA_OWNER_TAG": owner_tag})


def _vpc_config(network: _handler_network.Network) -> CfnFunction.VpcConfigProperty:
    return CfnFunction.VpcConfigProperty(subnet_ids=network.subnet_ids, security_group_ids=network.security_group_ids)
