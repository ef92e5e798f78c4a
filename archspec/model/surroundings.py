"""What the parts of a layer are read with."""

from archspec.model.defaults import Defaults
from archspec.source.expression import Scope
from archspec.source.frozen import Frozen
from archspec.source.report import Report


class Surroundings(Frozen):
    """The sizes in scope, what is inherited, and where findings go."""

    scope: Scope
    defaults: Defaults
    report: Report
