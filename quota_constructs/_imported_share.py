"""A share that is declared elsewhere, and known by its ARN."""

from typing import TYPE_CHECKING

from quota_constructs import _arns
from quota_constructs._scope import path_of
from quota_constructs._share_base import ShareBase

if TYPE_CHECKING:
    from constructs import Construct


class ImportedShare(ShareBase):
    """A share known by its ARN."""

    def __init__(self, scope: "Construct", construct_id: str, quota_share_arn: str) -> None:
        _arns.check(f"{path_of(scope)}/{construct_id}", {"quota_share_arn": quota_share_arn})
        super().__init__(scope, construct_id, environment_from_arn=quota_share_arn)
        self._arn = quota_share_arn

    @property
    def quota_share_arn(self) -> str:
        """ARN of the share."""
        return self._arn

    @property
    def quota_share_name(self) -> str:
        """Name of the share, unique on its queue."""
        return _arns.share_name(self._arn)

    @property
    def job_queue_arn(self) -> str:
        """ARN of the queue the share belongs to."""
        return _arns.queue_arn_of_share(self._arn)
