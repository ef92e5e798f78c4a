"""Options that have no say beside another one: refused, where ignoring them would mislead."""

from collections.abc import Mapping

from compiler.answer import CannotAnswer


def refuse_beside(what: str, options: Mapping[str, object]) -> None:
    """Raises `CannotAnswer` where one of `options` is given; `what` says what leaves them none."""
    given = next((name for name, said in options.items() if said), "")
    if given:
        raise CannotAnswer(f"{what}: `{given}` has no say there", f"leave `{given}` out")
