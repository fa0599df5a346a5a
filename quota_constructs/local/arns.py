"""ARNs of the Batch resources, and the account and Region where nobody says another one.

Source: Service Authorization Reference, resource types of AWS Batch.
"""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_ACCOUNT = "000000000000"
DEFAULT_REGION = "eu-west-1"


@dataclass(frozen=True, slots=True)
class Arns:
    """The ARNs of one account and Region.

    Args:
        region: for example `eu-west-1`.
        account: 12 digits.
    """

    region: str
    account: str

    @property
    def partition(self) -> str:
        """The partition the Region lies in."""
        prefixes = {"cn-": "aws-cn", "us-gov-": "aws-us-gov", "eusc-": "aws-eusc"}
        return next((value for prefix, value in prefixes.items() if self.region.startswith(prefix)), "aws")

    def batch(self, kind: str, name: str) -> str:
        """The ARN of a Batch resource, given its kind (`job-queue`) and name."""
        return f"arn:{self.partition}:batch:{self.region}:{self.account}:{kind}/{name}"

    def training_job(self, name: str) -> str:
        """The ARN of a SageMaker training job."""
        return f"arn:{self.partition}:sagemaker:{self.region}:{self.account}:training-job/{name}"

    def resolve(self, kind: str, name_or_arn: str) -> str:
        """The ARN for what a request names, by name or by ARN."""
        return name_or_arn if name_or_arn.startswith("arn:") else self.batch(kind, name_or_arn)


def quota_share_arn(queue_arn: str, name: str) -> str:
    """The ARN of a quota share of a queue."""
    return f"{queue_arn}/quota-share/{name}"
