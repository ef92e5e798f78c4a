"""Frozen dataclasses that are quick to define: their methods stand here once."""

from collections.abc import Callable
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
    __defaults: ClassVar[dict[str, Any]] = {}
    __factories: ClassVar[dict[str, Callable[[], Any]]] = {}
    __required: ClassVar[tuple[str, ...]] = ()
    __compared: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if abstract:
            return
        dataclass(init=False, repr=False, eq=False)(cls)
        found = [cls.__dataclass_fields__[name] for name in cls.__match_args__]
        cls.__defaults = {each.name: each.default for each in found if each.default is not MISSING}
        cls.__factories = {
            each.name: each.default_factory for each in found if each.default_factory is not MISSING
        }
        optional = {**cls.__defaults, **cls.__factories}
        cls.__required = tuple(each.name for each in found if each.name not in optional)
        cls.__compared = tuple(each.name for each in found if each.compare)

    def __init__(self, *values: Any, **named: Any) -> None:
        known = self.__match_args__
        given = dict(zip(known, values))  # noqa: B905  # what is left over is refused below
        if named or len(values) != len(known):
            given = self.__completed(values, given, named)
        object.__setattr__(self, "__dict__", given)
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
        mine, theirs = self.__dict__, other.__dict__
        return all(mine[name] == theirs[name] for name in self.__compared)

    def __hash__(self) -> int:
        mine = self.__dict__
        return hash(tuple([mine[name] for name in self.__compared]))

    def __repr__(self) -> str:
        shown = [name for name in self.__match_args__ if self.__dataclass_fields__[name].repr]
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({said})"

    def __completed(
        self, values: tuple[Any, ...], given: dict[str, Any], named: dict[str, Any]
    ) -> dict[str, Any]:
        """One value for each field: those `given` in order, those by name, then defaults."""
        kind, known = type(self).__name__, self.__match_args__
        if len(values) > len(known):
            raise TypeError(f"{kind} takes {len(known)} arguments, not {len(values)}")
        found = {**self.__defaults, **given, **named}
        for name, make in self.__factories.items():
            if name not in found:
                found[name] = make()
        if len(found) != len(known) or not named.keys().isdisjoint(given):
            wrong = [name for name in named if name in given or name not in known]
            if wrong:
                raise TypeError(f"{kind} does not take {', '.join(wrong)}, or not twice")
        for name in self.__required[len(values) :]:
            if name not in named:
                raise TypeError(f"{kind} lacks {name}")
        return {name: found[name] for name in known}
