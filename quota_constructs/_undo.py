"""A construct whose making fails leaves the tree as it was: a caller may catch the error and go on."""

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from quota_constructs._scope import has_place, node_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from constructs import Construct

Init = TypeVar("Init", bound="Callable[..., None]")


def undone_on_error(init: Init) -> Init:
    """Take a construct out of the tree again when its `__init__` fails after it was put there.

    Args:
        init: The method, which notes its place (`_scope.place`) as soon as it is in the tree.
    """

    @wraps(init)
    def made_or_undone(
        self: "Construct",
        scope: "Construct",
        construct_id: str,
        **settings: Any,  # noqa: ANN401  # whatever the method takes
    ) -> None:
        try:
            init(self, scope, construct_id, **settings)
        except Exception:  # whatever it is, it goes on to the caller
            if has_place(self):  # otherwise the id was taken, and what has it stays
                node_of(scope).try_remove_child(construct_id.replace("/", "--"))
            raise

    return cast("Init", made_or_undone)
