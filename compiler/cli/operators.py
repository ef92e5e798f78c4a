"""The operators as reading matter: name, signature, meaning."""

import inspect
import re
from collections.abc import Iterable, Iterator
from importlib.metadata import entry_points

import compiler.ops
from archspec.source.suggest import did_you_mean
from compiler.answer import CannotAnswer
from compiler.ir.operator import Operator
from compiler.ir.signature import Port, Signature

GROUP = "archspec.operators"
REMEDY = "update or uninstall the package that adds it"
SENTENCE_END = re.compile(r"(?<!\bal)(?<!\beq)\. ")


def operators() -> dict[str, type[Operator]]:
    """All operators by the name a person types (`rms_norm`), sorted; those that other packages add
    are among them."""
    own = {spoken(kind): kind for kind in (getattr(compiler.ops, n) for n in compiler.ops.__all__)}
    return dict(sorted(({spoken(kind): kind for kind in _added()} | own).items()))


def _added() -> Iterator[type[Operator]]:
    for point in entry_points(group=GROUP):
        try:
            kind = point.load()
        except Exception as error:
            raise CannotAnswer(f"`{point.value}` does not load: {error}", REMEDY) from error
        if not (isinstance(kind, type) and issubclass(kind, Operator)):
            raise CannotAnswer(f"`{point.value}` is no operator", REMEDY)
        yield kind


def spoken(kind: type[Operator]) -> str:
    """`RmsNorm` as `rms_norm`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__).lower()


def find_operator(name: str) -> type[Operator]:
    """The operator of a name, written either way."""
    known = operators()
    for spelling, kind in known.items():
        if name in (spelling, kind.__name__):
            return kind
    named = next((each for each in known if name.lower() in each.split("_")), name)
    hint = did_you_mean(named, known) or "`archc ops` lists them"
    raise CannotAnswer(f"no operator `{name}`", hint)


def summary(kind: type[Operator]) -> str:
    """The first sentence of what an operator computes."""
    said = " ".join(inspect.cleandoc(kind.__doc__ or "").split("\n\n")[0].split())
    return SENTENCE_END.split(said, 1)[0].rstrip(".")


def operator_text(kind: type[Operator]) -> str:
    """Name, signature and the whole description of one operator."""
    said = inspect.cleandoc(kind.__doc__ or "")
    return f"{spoken(kind)}  {signature_text(kind.signature)}\n\n{said}"


def signature_text(signature: Signature) -> str:
    """A signature as it is written: `x:*I; weight:OI, bias?:O -> y:*O`."""
    left = _ports(signature.inputs)
    if signature.parameters:
        left += f"; {_ports(signature.parameters)}"
    return f"{left} -> {_ports(signature.outputs)}".lstrip()


def _ports(ports: Iterable[Port]) -> str:
    return ", ".join(
        f"{port.name}{'?' if port.optional else ''}:"
        f"{'' if port.element == 'float' else port.element + ' '}{''.join(port.dims)}".rstrip()
        for port in ports
    )
