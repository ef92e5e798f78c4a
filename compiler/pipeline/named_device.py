"""A device by what the command line calls it: of the table, of a file, or this machine."""

from typing import Final

from compiler.answer import CannotAnswer
from compiler.report.device.device import Device
from compiler.report.device.table import device, shipped

THIS: Final = "this"


def device_called(said: str) -> Device:
    """The device; `this` measures the machine that asks. Raises SpecError, CannotAnswer."""
    if said != THIS:
        return device(said)
    from compiler.report.device.this import this_machine

    try:
        return this_machine()
    except ImportError as error:
        message = "torch is needed to measure this machine, and it cannot be imported"
        raise CannotAnswer(message, "`archc doctor` says more") from error


def devices() -> tuple[Device, ...]:
    """All devices of the table."""
    return shipped()
