"""Functions and small classes that operators put beside the model's classes."""

from dataclasses import dataclass, field


@dataclass
class Functions:
    """Their sources by name, in the order of first use.

    A name that another text or one of the model's classes has gets a number.
    """

    classes: frozenset[str] = frozenset()
    sources: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, source: str) -> str:
        """Keep a function once; returns the name it goes by."""
        count = 1
        while True:
            wish = name if count == 1 else f"{name}_{count}"
            text = source.replace("{name}", wish).strip("\n")
            if wish not in self.classes and self.sources.setdefault(wish, text) == text:
                return wish
            count += 1
