"""What all values of the model have in common: nothing can change them, so that a copy is the value itself."""

from __future__ import annotations

from types import MappingProxyType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self


class Value:
    """A dataclass that is frozen together with its mappings; it can be copied, pickled and sent to another process."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        fields: dict[str, object] = getattr(self, "__dataclass_fields__", {})
        return type(self), tuple([_thawed(getattr(self, name)) for name in fields])


def _thawed(value: object) -> object:
    """Give a mapping as a plain one: a read-only view cannot be pickled."""
    if isinstance(value, MappingProxyType):
        return {name: _thawed(member) for name, member in value.items()}
    return value
