"""Integers that remember how they were written."""


class Sized(int):
    """A whole number of a spec with the text it came from: `Sized(3072, "4*d_model")`."""

    said: str

    def __new__(cls, value: int, said: str | None = None) -> "Sized":
        self = super().__new__(cls, value)
        self.said = str(int(value)) if said is None else said
        return self

    def __reduce__(self) -> tuple[type["Sized"], tuple[int, str]]:
        return Sized, (int(self), self.said)
