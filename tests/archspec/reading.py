"""Shorthands of the tests of the language: a spec around a part, and what is said about it."""

import archspec
from archspec.components.component import Component
from archspec.model.stack import Layer, Stack
from archspec.source.diagnostic import Diagnostic

HEAD = "name: t\ninputs: {ids: tokens}\n"
TOK = "graph:\n  tok: {embed: {vocab: 100, dim: 16}, in: ids}\n"


def read_text(text: str, *patches: str) -> archspec.Spec | tuple[Diagnostic, ...]:
    """The spec of a YAML text, without a file."""
    from archspec.load import Reading
    from archspec.resolve import resolve

    reading = Reading()
    tree = reading.text(text.encode(), "", keep=True)
    tree = None if tree is None else reading.patched(tree, patches)
    if tree is not None and not reading.report.diagnostics:
        spec = resolve(tree, "", reading.digest, (), reading.report)
        if spec is not None and not reading.report.diagnostics:
            return spec
    return tuple(reading.report.diagnostics)


def spec(text: str, *patches: str) -> archspec.Spec:
    found = read_text(text, *patches)
    if isinstance(found, tuple):
        raise archspec.SpecError(found)
    return found


def codes(text: str, *patches: str) -> list[str]:
    found = read_text(text, *patches)
    return [diagnostic.code for diagnostic in found] if isinstance(found, tuple) else []


def node(
    text: str, top: str = "", inputs: str = "ids: tokens, pixels: {image: [3, 32, 32]}"
) -> str:
    """A spec whose last node is `x: {text}`."""
    tok = "graph:\n  tok: {embed: {vocab: 100, dim: 16}, in: ids}\n"
    return f"name: t\n{top}inputs: {{{inputs}}}\n{tok}  x: {{{text}}}\n"


def component(text: str, top: str = "") -> Component:
    """The component of `x: {text}`."""
    found = spec(node(text, top)).graph["x"].component
    assert isinstance(found, Component)
    return found


def stack(layer: str, rest: str = "", top: str = "", repeat: str = "4") -> str:
    """A spec with a stack `h` of a flow-style layer; `rest` are further keys of the stack."""
    body = f"    stack: {{repeat: {repeat}, layer: {layer}{', ' if rest else ''}{rest}}}\n"
    return f"{HEAD}{top}{TOK}  h:\n{body}"


def layers(text: str, *patches: str) -> tuple[Stack, list[Layer]]:
    """The stack `h` and its layers one by one."""
    found = spec(text, *patches).graph["h"].component
    assert isinstance(found, Stack)
    return found, [found.variants[k] for k in found.order]
