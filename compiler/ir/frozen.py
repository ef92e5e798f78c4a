"""Frozen dataclasses that are quick to define: their methods stand here once."""

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(frozen_default=True)
class Frozen:
    """What `@dataclass(frozen=True)` makes of a class, for its subclasses without a decorator.

    `dataclass` writes and compiles six methods for each class, which for all operators takes longer
    than to count a model. `fields`, `replace` and `match` work as usual; there are no default
    factories. A class that is there to be inherited from says `abstract=True` and has no fields.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not abstract:
            dataclass(init=False, repr=False, eq=False)(cls)

    def __init__(self, *values: Any, **named: Any) -> None:
        kind, known = type(self).__name__, self.__match_args__
        if len(values) > len(known):
            raise TypeError(f"{kind} takes {len(known)} arguments, not {len(values)}")
        given = dict(zip(known, values, strict=False))
        wrong = [name for name in named if name in given or name not in known]
        if wrong:
            raise TypeError(f"{kind} does not take {', '.join(wrong)}, or not twice")
        given |= named
        for name in known:
            value = given.get(name, self.__dataclass_fields__[name].default)
            if value is MISSING:
                raise TypeError(f"{kind} lacks {name}")
            object.__setattr__(self, name, value)
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
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        pairs = zip(self.__match_args__, self._values(), strict=True)
        said = ", ".join(f"{name}={value!r}" for name, value in pairs)
        return f"{type(self).__qualname__}({said})"

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)
