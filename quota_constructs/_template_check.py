"""Checks, on the templates as written, that every gated resource waits for its guard and is what the guard was told."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quota_constructs.quota_guard import QuotaGuard


def register(guard: "QuotaGuard") -> None:
    """Check the templates of the guard's app at the end of its synthesis."""
