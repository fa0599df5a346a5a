"""Whether a share's idle capacity may be lent, and whether the share may borrow."""

from dataclasses import dataclass

from quota_constructs._tokens import is_token
from quota_constructs._types import TypeChecks
from quota_constructs.construct_rules import BORROW_LIMIT

UNLIMITED = -1


@dataclass(frozen=True, slots=True)
class ResourceSharing:
    """The sharing strategy of a quota share, with its borrow limit.

    Made by `reserve`, `lend` and `lend_and_borrow`, which allow just the combinations the service accepts.

    Args:
        strategy: `RESERVE`, `LEND` or `LEND_AND_BORROW`.
        borrow_limit_percent: Percent of the share's own limit that it may borrow on top of it, for each instance
            type alike; 0 is nothing, -1 no limit. Only with `LEND_AND_BORROW`.

    Example:
        >>> ResourceSharing.lend_and_borrow(borrow_limit_percent=200)
        ResourceSharing(strategy='LEND_AND_BORROW', borrow_limit_percent=200)

    Source: CreateQuotaShare, member `resourceSharingConfiguration`.
    """

    strategy: str
    borrow_limit_percent: int | None = None

    @classmethod
    def reserve(cls) -> "ResourceSharing":
        """Keep idle capacity, and borrow nothing: what the share does not use stays idle."""
        return _RESERVE

    @classmethod
    def lend(cls) -> "ResourceSharing":
        """Lend idle capacity to shares that borrow, and borrow nothing."""
        return cls("LEND")

    @classmethod
    def lend_and_borrow(cls, *, borrow_limit_percent: int | None = None, unlimited: bool = False) -> "ResourceSharing":
        """Lend idle capacity, and borrow what others lend.

        Args:
            borrow_limit_percent: Percent of the share's own limit, 0 or more; 200 on a limit of 1 means up to 2 more.
                0 stays 0: the share lends and borrows nothing. May be a token.
            unlimited: Borrow whatever others lend, instead of a limit.

        Raises:
            QuotaConstructError: Both or neither are given, or the percentage is negative.
            QuotaTypeError: `unlimited` is neither True nor False.
        """
        checks = TypeChecks("")
        checks.flag("unlimited", unlimited)
        checks.done()
        return cls("LEND_AND_BORROW", _borrow_limit(borrow_limit_percent, unlimited=unlimited))


_RESERVE = ResourceSharing("RESERVE")  # made once: most shares of a queue have no other


def _borrow_limit(percent: int | None, *, unlimited: bool) -> int:
    if unlimited and percent is not None:
        raise BORROW_LIMIT.broken(
            f"borrow limit given twice, got borrow_limit_percent={percent!r} and unlimited={unlimited!r}; "
            "drop one of them"
        )
    if unlimited:
        return UNLIMITED
    if percent is None:
        raise BORROW_LIMIT.broken(
            "borrow limit missing, got neither borrow_limit_percent nor unlimited; give a percentage of the share's "
            "own limit (0 for no borrowing), or unlimited=True"
        )
    if isinstance(percent, int | float) and percent < 0 and not is_token(percent):
        raise BORROW_LIMIT.broken(
            f"borrow limit is negative, got borrow_limit_percent={percent!r}, allowed is 0 or more; "
            "give unlimited=True for no limit"
        )
    return percent
