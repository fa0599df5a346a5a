"""Running the handler in a network, for organisations that allow no function outside of one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aws_cdk.aws_ec2 import ISecurityGroup, IVpc, SubnetSelection
    from constructs import Construct, IDependable


@dataclass(frozen=True, slots=True)
class Network:
    """Where the function gets its addresses, and what must be there before it can call anybody."""

    subnet_ids: list[str]
    security_group_ids: list[str]
    connectivity: "IDependable"


def network(
    scope: "Construct",
    vpc: "IVpc",
    subnets: "SubnetSelection | None",
    security_groups: "list[ISecurityGroup] | None",
) -> Network:
    """Choose subnets and security groups; without groups a new one is made that lets everything out.

    Args:
        scope: Where a new security group goes.
        vpc: The network.
        subnets: Which of its subnets. By default the private ones.
        security_groups: The groups. By default a new one.
    """
    from aws_cdk.aws_ec2 import SecurityGroup

    chosen = vpc.select_subnets(**_members(subnets))
    groups = security_groups or [
        SecurityGroup(scope, "SecurityGroup", vpc=vpc, description="Quota handler: reaches the AWS interfaces")
    ]
    return Network(
        list(chosen.subnet_ids),
        [group.security_group_id for group in groups],
        chosen.internet_connectivity_established,
    )


def statement() -> dict[str, Any]:
    """Give what Lambda needs to place a function in a network.

    Source: Lambda developer guide, "Giving Lambda functions access to resources in an Amazon VPC", execution role
    permissions; the describe calls know no resource.
    """
    return {
        "Sid": "JoinNetwork",
        "Effect": "Allow",
        "Action": [
            "ec2:AssignPrivateIpAddresses",
            "ec2:CreateNetworkInterface",
            "ec2:DeleteNetworkInterface",
            "ec2:DescribeNetworkInterfaces",
            "ec2:DescribeSubnets",
            "ec2:UnassignPrivateIpAddresses",
        ],
        "Resource": "*",
    }


def _members(subnets: "SubnetSelection | None") -> dict[str, Any]:
    if subnets is None:
        return {}
    names = ("availability_zones", "one_per_az", "subnet_filters", "subnet_group_name", "subnets", "subnet_type")
    return {name: value for name in names if (value := getattr(subnets, name)) is not None}
