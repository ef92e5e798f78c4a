"""Options that have no say beside another one, or without one: refused, where ignoring them would
mislead."""

from collections.abc import Mapping

from compiler.answer import CannotAnswer


def refuse_beside(what: str, options: Mapping[str, object]) -> None:
    """Raises `CannotAnswer` where one of `options` is given; `what` says what leaves them none."""
    given = next((name for name, said in options.items() if said), "")
    if given:
        raise CannotAnswer(f"{what}: `{given}` has no say there", f"leave `{given}` out")


def refuse_assume(assume: str, device: str) -> None:
    """Raises `CannotAnswer` where something is assumed of no device."""
    if assume and not device:
        raise CannotAnswer("`--assume` is about a device", "name one with `--device`")
