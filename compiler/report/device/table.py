"""Where devices come from: the table that is shipped, or a file of the user."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from archspec.source.suggest import did_you_mean, listed
from compiler.answer import CannotAnswer
from compiler.report.device.device import Device
from compiler.report.device.problem import problem
from compiler.report.device.reading import read_devices

SHIPPED: Final = Path(__file__).with_name("devices.yaml")
OPTION: Final = "--device"
SUFFIXES: Final = (".yaml", ".yml")
THIS: Final = "this"
SEVERAL: Final = re.compile(r"([0-9]{1,6}) ?[x*] ?(\S+)|(\S+?) ?[x*] ?([0-9]{1,6})")
"""Devices and how many of them."""


@cache
def shipped() -> tuple[Device, ...]:
    """The devices of the table."""
    return read_devices(SHIPPED.read_bytes(), SHIPPED.name)


def device(said: str) -> Device:
    """The device that is called `said`: a name, `FILE.yaml`, `FILE.yaml:NAME` of several, or `this`
    machine, which is measured.

    Raises SpecError (AR0950) where there is none, and where its file is wrong (AR0951, AR0952);
    CannotAnswer where this machine cannot be measured.
    """
    return replace(_found(said), said=said)


def _found(said: str) -> Device:
    if said == THIS:
        return _measured()
    file, _, name = said.rpartition(":") if not said.endswith(SUFFIXES) else (said, "", "")
    if file.endswith(SUFFIXES):
        return _of_file(said, file, name)
    everywhere = _several(said) or "`archc cost --device list` has them all"
    return _named(said, said, shipped(), "not in the table", everywhere)


def _several(said: str) -> str:
    """How devices that are counted in their name, as `8xH100`, are asked for; empty for others."""
    found = SEVERAL.fullmatch(said.strip().lower())
    name = (found[2] or found[3]) if found else ""
    one = next((each.name for each in shipped() if name in (each.name, *each.also)), "")
    number = found[1] or found[4] if found else ""
    return f"write `--device {one} --parallel dp={number}`, or `tp`, `pp` and others" if one else ""


def _measured() -> Device:
    from compiler.report.device.this import this_machine

    try:
        return this_machine()
    except ImportError as error:
        message = "torch is needed to measure this machine, and it cannot be imported"
        raise CannotAnswer(message, "`archc doctor` says more") from error


def _of_file(said: str, file: str, name: str) -> Device:
    try:
        data = Path(file).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise problem("AR0950", f"cannot read `{file}`", (OPTION, said), reason.lower()) from error
    found = read_devices(data, file)
    if name:
        return _named(said, name, found, "not in the file", f"`{file}` has {_names(found)}")
    if len(found) > 1:
        message = f"`{file}` has several devices"
        raise problem(
            "AR0950", message, (OPTION, said), _names(found), f"name one: `{file}:{found[0].name}`"
        )
    return found[0]


def _named(said: str, name: str, among: tuple[Device, ...], absent: str, help_: str) -> Device:
    known = {each: found for found in among for each in (found.name, *found.also)}
    for spelt in (name, name.lower()):
        if spelt in known:
            return known[spelt]
    label = did_you_mean(name, known) or absent
    raise problem("AR0950", f"no device is called `{name}`", (OPTION, said), label, help_)


def _names(found: tuple[Device, ...]) -> str:
    return listed([each.name for each in found], "and")
