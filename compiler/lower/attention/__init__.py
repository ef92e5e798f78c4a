"""Attention as operators, one file for each stage: heads, positions, the cache, the view, the
mixture."""

from compiler.lower.attention.around import Around
from compiler.lower.attention.keep import cacheable
from compiler.lower.attention.mixer import attention

__all__ = ["Around", "attention", "cacheable"]
