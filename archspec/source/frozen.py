"""Frozen dataclasses that are quick to define: their methods stand here once."""

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen:
    """What `@dataclass(frozen=True)` makes of a class, for its subclasses without a decorator.

    `dataclass` writes and compiles six methods for each class: about a millisecond, and a command
    that only counts defines hundreds. These here take longer for each instance, so what is made or
    compared by the thousand keeps the decorator. `fields`, `replace` and `match` work as usual. A
    class that is there to be inherited from says `abstract=True` and has no fields.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not abstract:
            dataclass(init=False, repr=False, eq=False)(cls)

    def __init__(self, *values: Any, **named: Any) -> None:
        known = self.__match_args__
        if named or len(values) != len(known):
            values = self._completed(values, named)
        self.__dict__.update(zip(known, values, strict=True))
        self.__post_init__()

    def __post_init__(self) -> None:
        """For checks of the fields."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash(self._compared())

    def __repr__(self) -> str:
        shown = [name for name in self.__match_args__ if self.__dataclass_fields__[name].repr]
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({said})"

    def _compared(self) -> tuple[Any, ...]:
        known = self.__dataclass_fields__
        return tuple(getattr(self, name) for name in self.__match_args__ if known[name].compare)

    def _completed(self, values: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """One value for each field: those given in order and by name, then defaults."""
        kind, known = type(self).__name__, self.__match_args__
        if len(values) > len(known):
            raise TypeError(f"{kind} takes {len(known)} arguments, not {len(values)}")
        given = dict(zip(known, values, strict=False))
        wrong = [name for name in named if name in given or name not in known]
        if wrong:
            raise TypeError(f"{kind} does not take {', '.join(wrong)}, or not twice")
        given |= named
        return tuple([given[name] if name in given else self._default(name) for name in known])

    def _default(self, name: str) -> Any:
        known = self.__dataclass_fields__[name]
        if known.default_factory is not MISSING:
            return known.default_factory()
        if known.default is MISSING:
            raise TypeError(f"{type(self).__name__} lacks {name}")
        return known.default
