"""Models of the chapter made small and born as their generated source bears them."""

import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from torch import nn

import archspec
import compiler
from compiler.cli.progress import Progress
from compiler.verify.module import load_module

SPECS = Path(__file__).parents[2] / "specs" / "history"


def born(name: str, sizes: Mapping[str, object], seed: int = 0) -> nn.Module:
    """A spec by its stem with patches on it: compiled, its source loaded, its weights drawn."""
    spec = archspec.load(SPECS / f"{name}.yaml", set=sizes)
    module = load_module(compiler.compile(spec).torch(), name)
    (made,) = (found for key, found in vars(module).items() if key == class_name(spec.name))
    torch.manual_seed(seed)
    model: nn.Module = made()
    return model


def class_name(name: str) -> str:
    """`pre-norm` → `PreNorm`."""
    return "".join(word.capitalize() for word in name.split("-"))


def told(step: str, whole: int) -> Iterator[int]:
    """Counts to `whole` with a bar on a terminal, and how long it took once it is done."""
    began = time.monotonic()
    with Progress() as progress:
        for done in range(whole):
            yield done
            progress(step, done + 1, whole)
    if sys.stderr.isatty():
        print(f"{step}: {time.monotonic() - began:.0f} s", file=sys.stderr)
