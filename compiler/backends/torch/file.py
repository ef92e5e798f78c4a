"""A program as one Python file that imports torch alone."""

import re

from archspec.source.frozen import Frozen
from archspec.source.span import Span
from compiler.backends.torch.constants import Constants
from compiler.backends.torch.drawing import drawing
from compiler.backends.torch.functions import Functions
from compiler.backends.torch.header import Facts, header
from compiler.backends.torch.layout import docstring, lay
from compiler.backends.torch.lines import Line, Lines
from compiler.backends.torch.marks import Mark, called, unmarked
from compiler.backends.torch.model import Root
from compiler.backends.torch.module import Classes, argument
from compiler.backends.torch.names import class_names
from compiler.backends.torch.usage import usage
from compiler.ir.program import Program
from compiler.ir.types import TensorType
from compiler.passes.keys_apart import SourceKeys
from compiler.passes.source_keys import source_keys, written

SUFFIX = re.compile(r"_([A-Z0-9]+)\b")


class Generated(Frozen):
    """The text of `model.py`, its model class, and the place in the spec of each line that has
    one."""

    text: str
    name: str
    places: dict[int, Span]


class Code(Frozen):
    """A module before it is laid out: its helpers and classes, the constants that they name, the
    name of its model class, and the tensors that a call must give."""

    parts: list[Lines]
    constants: Constants
    folded: Program
    name: str
    keys: SourceKeys | None

    @property
    def text(self) -> str:
        """Python, with the settings at its top; sizes and torch are whoever runs it's to give."""
        lines = [Line(0, line) for line in self.constants.named()]
        lines += [line for part in self.parts for line in part]
        return called("\n".join("    " * line.depth + line.text for line in lines) + "\n")

    @property
    def inputs(self) -> dict[str, TensorType]:
        """What a call may give, by the names of the arguments: all that something reads."""
        graph = self.folded.main
        read = {value for node in graph for value in node.inputs} | set(graph.outputs.values())
        return {argument(graph, v): graph.type(v) for v in graph.inputs.values() if v in read}


def torch_code(program: Program, mark: Mark = unmarked) -> Code:
    """The module of a fused program as logical lines, with a mark at the expressions of nodes."""
    folded = written(program)
    keys = source_keys(folded)
    names = class_names(folded)
    constants, helpers = Constants(program.key), Functions(frozenset(names.values()))
    draws = drawing(folded, constants)
    classes = Classes(
        constants, helpers, folded.graphs, names, program.path, program.root, draws, keys, mark
    )
    parts = [classes.module(graph) for name, graph in folded.graphs.items() if name != program.root]
    main = keys.main if keys else folded.main
    root = Root(classes, main, program.grown or program.stepped, program.states)
    parts.append(root.lines())
    functions = [_source_lines(source) for source in helpers.texts(program.key)]
    return Code([*functions, *parts], constants, folded, names[program.root], keys)


def torch_source(program: Program, facts: Facts) -> Generated:
    """The generated module of a fused program. Stable under `ruff format`; the same program gives
    the same text."""
    made = torch_code(program)
    code, constants = made.parts, made.constants
    body = "\n".join(line.text for part in code for line in part)
    words = usage(made.folded, made.name, made.keys)
    shown = {m for w in words if w.startswith("    ") for m in re.findall(r"\b[A-Z]\b", w)}
    constants.used |= shown & set(program.key.sizes)
    used = {mark for found in SUFFIX.findall(body) for mark in found} | constants.used | shown
    top = docstring(header(program, facts, used, words))
    imports = ["import torch"] if _names("torch", body) else []
    imports += ["import torch.nn.functional as F"] if _names("F", body) else []
    imports.append(f"from torch import Tensor{', nn' if _names('nn', body) else ''}")
    numbers = constants.lines()
    start: Lines = [Line(0, line) for line in ["", *imports, *([""] if numbers else []), *numbers]]
    return _assemble(top, start, code, made.name)


def _names(module: str, body: str) -> bool:
    """Whether code uses a module; nodes of the spec and places in it may be called so too."""
    return re.search(rf"(?<![\w.]){module}\.", re.sub(r"  # spec:.*", "", body)) is not None


def _assemble(top: list[str], start: Lines, code: list[Lines], name: str) -> Generated:
    text = list(top)
    places: dict[int, Span] = {}
    for line in start:
        text += lay(line.text, line.depth) if line.text else [""]
    for part in code:
        text += ["", ""]
        in_docstring = False
        for line in part:
            first = len(text) + 1
            opens = line.text.startswith('"""') and not in_docstring
            if opens or in_docstring:
                text.append((" " * 4 * line.depth + line.text).rstrip())
                in_docstring = not line.text[3 if opens else 0 :].endswith('"""')
            else:
                text += lay(line.text, line.depth) if line.text else [""]
            if line.span.file:
                places.update(dict.fromkeys(range(first, len(text) + 1), line.span))
    return Generated("\n".join(text) + "\n", name, places)


def _source_lines(source: str) -> Lines:
    """A helper's text as logical lines: what is wrapped there is joined, so that one writer owns
    the wrapping."""
    lines: Lines = []
    joined = ""
    depth = 0
    for raw in source.split("\n"):
        if not joined:
            depth = (len(raw) - len(raw.lstrip())) // 4
        joined = _continued(joined, raw.strip())
        if joined.count("(") > joined.count(")") and not joined.startswith('"""'):
            continue
        lines.append(Line(depth, joined))
        joined = ""
    return lines


def _continued(line: str, more: str) -> str:
    """A logical line with its next physical line, the comma before a closing bracket taken away."""
    if not line or line.endswith("("):
        return line + more
    return f"{line.removesuffix(',')}{more}" if more.startswith(")") else f"{line} {more}"
