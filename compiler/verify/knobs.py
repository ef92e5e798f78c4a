"""The numbers that make a spec large: where each is written, what it is for, what it is now."""

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from archspec.components.attention import Attention
from archspec.components.component import Component
from archspec.components.embed import Embed
from archspec.components.latent import Latent
from archspec.components.linear import Linear
from archspec.components.mlp import Mlp
from archspec.components.moe import Moe
from archspec.components.patches import Patches
from archspec.components.positions import Learned
from archspec.components.positions import Positions as Placed
from archspec.components.rnn import Rnn
from archspec.components.unembed import Unembed
from archspec.model.spec import Spec
from archspec.model.stack import Stack
from archspec.source.expression import names
from archspec.source.fault import Fault
from archspec.source.frozen import Frozen
from archspec.source.number import Sized

Role: TypeAlias = Literal[
    "layers",
    "width",
    "heads",
    "kv_heads",
    "head_dim",
    "rank",
    "turned",
    "hidden",
    "experts",
    "active",
    "vocab",
    "table",
    "patch",
    "image",
    "out",
]


class Knob(Frozen):
    """A number that a patch can set: a name of `dims` or a dotted path.

    `written` is the text that goes there, with `{}` for the number.
    """

    path: str
    role: Role
    value: int
    written: str = "{}"

    def patch(self, value: int) -> str:
        """The number set to `value`, as `--set` takes it."""
        return f"{self.path}={self.written.replace('{}', str(value))}"


def knobs(spec: Spec) -> list[Knob]:
    """Every size that is written as a number, by its first use; expressions follow their names."""
    found: dict[str, Knob] = {}
    for role, size, place in _sizes(spec):
        path, _, written = place.partition("=")
        for name in _written_in(spec, size):
            found.setdefault(name, Knob(name, role, int(spec.dims[name])))
        if not _is_expression(spec, size):
            found.setdefault(path, Knob(path, role, int(size), written or "{}"))
    return list(found.values())


def _written_in(spec: Spec, size: Sized) -> list[str]:
    """The name of `dims` that a size is, followed to the one that is written as a number."""
    said = size.said
    if said not in spec.dims:
        return []
    below = spec.dims[said]
    if not isinstance(below, Sized):
        return []
    return [said] if not _mentions(below.said) else _written_in(spec, below)


def _is_expression(spec: Spec, size: Sized) -> bool:
    return any(name in spec.dims for name in _mentions(size.said))


def _mentions(said: str) -> set[str]:
    try:
        return set(names(said))
    except Fault:
        return set()


def _sizes(spec: Spec) -> Iterator[tuple[Role, Sized, str]]:
    """Sizes with their roles and paths, those with `=` and a text that are written in a list."""
    stacks = {n: v.component for n, v in spec.graph.items() if isinstance(v.component, Stack)}
    nodes = {n: v.component for n, v in spec.graph.items() if not isinstance(v.component, Stack)}
    for name, stack in stacks.items():
        yield "layers", stack.repeat, f"{name}.repeat"
    for name, node in nodes.items():
        if isinstance(node, Embed | Patches | Placed | Unembed):
            yield from _outer(name, node)
    for path, component in [*nodes.items(), *_mixers(stacks.items())]:
        if isinstance(component, Attention | Mlp | Moe):
            yield from _inner(path, component)
        if isinstance(component, Rnn):
            yield from _recurrent(path, component)
    for name, node in nodes.items():
        if isinstance(node, Linear):
            yield "out", node.dim, f"{name}.linear.dim"
    for name, source in spec.inputs.items():
        first, last = source.shape[0], source.shape[-1]
        if source.kind == "image" and isinstance(last, Sized) and source.shape[1] == last:
            yield "image", last, f"inputs.{name}.image=[{first}, {{}}, {{}}]"
        elif source.kind in ("vectors", "features") and isinstance(last, Sized):
            yield "width", last, f"inputs.{name}.{source.kind}=[{first}, {{}}]"


def _mixers(stacks: Iterable[tuple[str, Stack]]) -> Iterator[tuple[str, Component]]:
    for name, stack in stacks:
        for layer in stack.variants:
            for sub in layer.sublayers.values():
                for key, mixer in sub.mixers.items():
                    inside = f".parallel.{key}" if sub.parallel else ""
                    yield f"{name}.layer.{sub.name}{inside}", mixer.component


def _outer(name: str, node: Component) -> Iterator[tuple[Role, Sized, str]]:
    match node:
        case Embed():
            yield from _some(
                ("width", node.dim, f"{name}.embed.dim"),
                ("width", node.project, f"{name}.embed.project"),
            )
            yield from _some(("vocab", node.vocab, f"{name}.embed.vocab"))
            yield from _table(node.positions, f"{name}.embed.positions")
        case Placed():
            yield from _table(node.table, f"{name}.positions")
        case Unembed():
            yield from _some(
                ("vocab", node.vocab, f"{name}.unembed.vocab"),
                ("width", node.project, f"{name}.unembed.project"),
            )
        case Patches():
            yield "width", node.dim, f"{name}.patches.dim"
            yield "patch", node.size[0], f"{name}.patches.size"
            yield "image", node.image[0], f"{name}.patches.image"


def _table(found: object, path: str) -> Iterator[tuple[Role, Sized, str]]:
    if isinstance(found, Learned):
        yield "table", found.size, f"{path}.learned"


def _inner(path: str, component: Attention | Mlp | Moe) -> Iterator[tuple[Role, Sized, str]]:
    if isinstance(component, Mlp):
        yield "hidden", component.hidden, f"{path}.{component.word}.hidden"
        return
    at = f"{path}.{component.word}"
    if isinstance(component, Moe):
        yield "active", component.top_k, f"{at}.top_k"
        yield "experts", component.experts, f"{at}.experts"
        yield "hidden", component.expert.hidden, f"{at}.expert.hidden"
        if component.shared is not None:
            yield "hidden", component.shared.hidden, f"{at}.shared.hidden"
        return
    yield "heads", component.heads, f"{at}.heads"
    if component.kv_heads != component.heads:
        yield "kv_heads", component.kv_heads, f"{at}.kv_heads"
    yield from _some(
        ("head_dim", component.head_dim, f"{at}.head_dim"),
        ("head_dim", component.value_dim, f"{at}.value_dim"),
    )
    if component.rope is not None:
        yield from _some(("turned", component.rope.dim, f"{at}.rope.dim"))
    if component.latent is not None:
        yield from _latent(f"{at}.latent", component.latent)


def _latent(at: str, latent: Latent) -> Iterator[tuple[Role, Sized, str]]:
    yield from _some(("rank", latent.q_rank, f"{at}.q_rank"))
    yield "rank", latent.kv_rank, f"{at}.kv_rank"
    yield "head_dim", latent.nope_dim, f"{at}.nope_dim"
    yield "head_dim", latent.v_dim, f"{at}.v_dim"
    yield "turned", latent.rope_dim, f"{at}.rope_dim"


def _recurrent(path: str, component: Rnn) -> Iterator[tuple[Role, Sized, str]]:
    yield "width", component.dim, f"{path}.rnn.dim"
    if component.attend is not None:
        yield from _some(("width", component.attend.dim, f"{path}.rnn.attend.dim"))


def _some(*sizes: tuple[Role, Sized | None, str]) -> Iterator[tuple[Role, Sized, str]]:
    for role, size, path in sizes:
        if size is not None:
            yield role, size, path
