"""Why an operator of a rename rule does not fit the tensors it meets, as a value."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Misfit:
    """A reason in words, without a full stop."""

    reason: str
