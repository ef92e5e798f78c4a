"""The families whose published files we read by name: one file each, one table of all."""

from compiler.importers.families.registry import FAMILIES, known_types, rules_of

__all__ = ["FAMILIES", "known_types", "rules_of"]
