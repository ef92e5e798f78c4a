"""How a generated model draws its weights where the spec asks for more than torch's own rules."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.backends.torch.constants import Constants
from compiler.backends.torch.layout import number
from compiler.backends.torch.lines import Line, Lines
from compiler.ir.graph import Node
from compiler.ir.init import Init
from compiler.ir.program import Program
from compiler.ops import GroupedLinear

UNIT_ROWS: Final = (
    Line(3, "if isinstance(module, nn.Embedding):"),
    Line(4, "nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)"),
)


class Drawn(Frozen):
    """One operator whose parameters are drawn by a rule, or by torch's where that is None."""

    path: str
    operator: Any

    @property
    def rule(self) -> Init | None:
        """Its rule."""
        rule: Init | None = self.operator.init
        return rule

    @property
    def is_map(self) -> bool:
        """Whether it is a matrix or a filter, and no table."""
        return bool(self.operator.holder)

    @property
    def parts(self) -> int:
        """How many maps a pass has joined in it; 0 where they differ in width."""
        widths = {width for _, width in getattr(self.operator, "parts", ())}
        return len(self.operator.parts) if len(widths) == 1 else int(not widths)


class Drawing(Frozen):
    """Statements that draw weights.

    One loop over the model's modules where a rule or two cover all of them, else a line an operator
    in the `__init__` of its class; nothing where every operator keeps torch's rule.
    """

    found: tuple[Drawn, ...]
    constants: Constants

    def loop(self, helpers: Collection[str]) -> Lines:
        """The statements at the end of the root's `__init__`.

        `helpers` are the names of functions and classes beside the model's own.
        """
        return _normal(self.found, self.constants, helpers) or _xavier(self.found)

    @cached_property
    def local(self) -> bool:
        """Whether each class draws its own."""
        scratch = Constants(self.constants.key)
        ruled = any(each.rule for each in self.found)
        return ruled and not (_normal(self.found, scratch) or _xavier(self.found))

    def of(self, node: Node) -> Lines:
        """The statements for one operator in the `__init__` of its class."""
        rule = getattr(node.what, "init", None)
        if not isinstance(rule, Init) or not self.local:
            return []
        lines = list(self._weight(node.what, rule, f"self.{node.id}.weight"))
        if getattr(node.what, "bias", False):
            lines.append(Line(2, f"nn.init.zeros_(self.{node.id}.bias)"))
        return [line._replace(span=node.span) for line in lines]

    def _weight(self, operator: Any, rule: Init, weight: str) -> Iterator[Line]:
        parts = getattr(operator, "parts", ())
        if rule.kind == "normal":
            yield Line(2, f"nn.init.normal_({weight}, std={number(rule.a)})")
        elif rule.kind == "unit_rows":
            yield Line(2, f"nn.init.normal_({weight}, std={weight}.shape[1] ** -0.5)")
        elif isinstance(operator, GroupedLinear) or parts:
            depth = 2
            if isinstance(operator, GroupedLinear):
                yield Line(2, f"for matrix in {weight}.detach():")
                weight, depth = "matrix", 3
            if parts:
                widths = ", ".join(self.constants.size(width) for _, width in parts)
                yield Line(depth, f"for part in {weight}.split(({widths})):")
                weight, depth = "part", depth + 1
            yield Line(depth, f"nn.init.xavier_uniform_({weight})")
        else:
            flat = "" if operator.holder == "nn.Linear" else ".flatten(1)"
            yield Line(2, f"nn.init.xavier_uniform_({weight}{flat})")


def drawing(program: Program, constants: Constants) -> Drawing:
    """How the weights of a program are drawn."""
    places = [place for place in program.places() if hasattr(place.node.what, "init")]
    found = (Drawn(place.path, place.node.what) for place in places)
    return Drawing(tuple(found), constants)


def _normal(found: Sequence[Drawn], constants: Constants, helpers: Collection[str] = ()) -> Lines:
    """Every matrix and table normal, those that end a branch narrower by one factor."""
    rules = {each.path: each.rule for each in found if each.rule and each.rule.kind == "normal"}
    widths = sorted({rule.a for rule in rules.values()})
    if len(rules) < len(found) or len(widths) not in (1, 2) or 0 in widths:
        return []
    wide = widths[-1]
    narrow = {f".{path.rpartition('.')[2]}" for path, rule in rules.items() if rule.a < wide}
    if any(path.endswith(tuple(narrow)) != (rule.a < wide) for path, rule in rules.items()):
        return []
    grouped = {each.operator.bias for each in found if isinstance(each.operator, GroupedLinear)}
    if len(grouped) > 1:
        return []
    kinds = _kinds(found, helpers)
    std = constants.setting("STD", wide)
    lines = [
        Line(2, "for module in self.modules():"),
        Line(3, f"if isinstance(module, {' | '.join([*kinds, 'nn.Embedding'])}):"),
        Line(4, f"nn.init.normal_(module.weight, std={std})"),
        *_no_bias(found, [k for k in kinds if grouped != {False} or "." in k]),
    ]
    if narrow:
        root = _root(round((wide / widths[0]) ** 2), constants)
        ends = ", ".join(f'"{name}"' for name in sorted(narrow, reverse=True))
        ends = f"({ends})" if len(narrow) > 1 else ends
        lines[0] = Line(2, "for name, module in self.named_modules():")
        lines[2:3] = [
            Line(4, f"std = {std} / {root} if name.endswith({ends}) else {std}"),
            Line(4, "nn.init.normal_(module.weight, std=std)"),
        ]
    return lines


def _xavier(found: Sequence[Drawn]) -> Lines:
    """Every matrix and filter by Glorot's rule, each of those that were joined by itself; tables
    with rows of unit length."""
    maps = [each for each in found if each.is_map]
    rules = {each.rule.kind if each.rule else "torch" for each in maps}
    tables = {each.rule.kind if each.rule else "torch" for each in found if not each.is_map}
    if rules != {"xavier_uniform"} or not tables <= {"unit_rows"}:
        return []
    if not all(each.parts for each in maps):
        return []
    if any(isinstance(each.operator, GroupedLinear) for each in maps):
        return []
    kinds = _kinds(maps)
    joined = {each.path.rpartition(".")[2]: each.parts for each in maps if each.parts > 1}
    if any(each.path.endswith(tuple(joined)) for each in maps if each.parts == 1):
        return []
    weight = "module.weight" if kinds == ["nn.Linear"] else "module.weight.flatten(1)"
    if not joined:
        body = [Line(4, f"nn.init.xavier_uniform_({weight})")]
    else:
        body = [
            Line(4, f"parts = {_parts(joined)}"),
            Line(4, f"for part in {weight}.chunk(parts):"),
            Line(5, "nn.init.xavier_uniform_(part)"),
        ]
    named = "name, module in self.named_modules()" if joined else "module in self.modules()"
    return [
        Line(2, f"for {named}:"),
        Line(3, f"if isinstance(module, {' | '.join(kinds)}):"),
        *body,
        *_no_bias(maps, kinds),
        *(UNIT_ROWS if tables else ()),
    ]


def _parts(joined: Mapping[str, int]) -> str:
    if len(joined) == 1:
        ((name, count),) = joined.items()
        return f'{count} if name.endswith("{name}") else 1'
    counts = ", ".join(f'"{name}": {count}' for name, count in sorted(joined.items()))
    return f'{{{counts}}}.get(name.rpartition(".")[2], 1)'


def _kinds(found: Sequence[Drawn], helpers: Collection[str] = ()) -> list[str]:
    """The classes of maps: torch's own and those beside the model's, one a text."""
    kinds = sorted({each.operator.holder for each in found if each.is_map}, reverse=True)
    return [own for name in kinds for own in _numbered(name, helpers) or [name]]


def _numbered(name: str, helpers: Collection[str]) -> list[str]:
    return [own for own in helpers if own == name or own.startswith(f"{name}_")]


def _no_bias(found: Sequence[Drawn], kinds: list[str]) -> Lines:
    if not any(getattr(each.operator, "bias", False) for each in found if each.is_map):
        return []
    return [
        Line(3, f"if isinstance(module, {' | '.join(kinds)}) and module.bias is not None:"),
        Line(4, "nn.init.zeros_(module.bias)"),
    ]


def _root(steps: int, constants: Constants) -> str:
    layers = constants.key.sizes.get("L", 0)
    if layers and steps % layers == 0:
        constants.used.add("L")
        return f"({steps // layers} * L) ** 0.5" if steps != layers else "L**0.5"
    return f"{steps}**0.5"
