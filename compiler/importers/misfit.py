"""Why an operator of a rename rule does not fit the tensors it meets, as a value."""

from archspec.source.frozen import Frozen


class Misfit(Frozen):
    """A reason in words, without a full stop."""

    reason: str
