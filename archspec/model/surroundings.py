"""What the parts of a layer are read with."""

from dataclasses import dataclass

from archspec.model.defaults import Defaults
from archspec.source.expression import Scope
from archspec.source.report import Report


@dataclass(frozen=True)
class Surroundings:
    """The sizes in scope, what is inherited, and where findings go."""

    scope: Scope
    defaults: Defaults
    report: Report
