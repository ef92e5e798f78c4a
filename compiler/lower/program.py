"""A resolved spec as a program, or what makes it impossible."""

from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic, Label
from compiler.ir.graph import Graph
from compiler.ir.letters import Letters
from compiler.ir.program import Program
from compiler.lower.model import Model
from compiler.lower.needed import needed
from compiler.lower.packing import mixed_documents
from compiler.lower.scope import ROOT, Rejected, Scope


def lower(spec: Spec) -> Program | tuple[Diagnostic, ...]:
    """The program of a spec, or what makes it impossible."""
    spec = needed(spec)
    if found := mixed_documents(spec):
        return found
    dims = {name: getattr(size, "said", "") for name, size in spec.dims.items()}
    root = Scope(spec, Letters(dims=dims), Graph(ROOT, spec.name, spec.span_of("graph")))
    root.reserved, root.span = frozenset((*spec.inputs, *spec.graph)), spec.span_of("graph")
    model = Model(root, spec)
    try:
        model.fill()
    except Rejected as rejection:
        return (rejection.diagnostic,)
    except OverflowError as error:
        label = Label(root.span, "one more than that")
        return (Diagnostic("AR0390", str(error), label),)
    graphs: dict[str, Graph] = {}
    _collect(root, graphs)
    graphs[ROOT] = root.graph
    return Program(
        spec.name,
        graphs,
        ROOT,
        root.letters,
        spec.about,
        spec.path,
        spec.digest,
        model.grown,
        longest=int(spec.inputs[model.grown].max or 0) if model.grown else 0,
        stepped=model.recurrences.stepped,
        states=tuple(model.recurrences.states),
    )


def _collect(scope: Scope, graphs: dict[str, Graph]) -> None:
    for child in scope.children.values():
        _collect(child, graphs)
        graphs[child.graph.name] = child.graph
