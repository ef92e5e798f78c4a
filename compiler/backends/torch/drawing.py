"""How a generated model draws its weights where the spec asks for more than torch's own rules."""

from compiler.backends.torch.constants import Constants
from compiler.backends.torch.lines import Line, Lines
from compiler.ir.init import Init
from compiler.ir.program import Program
from compiler.ops import Conv1d, Conv2d, Linear


def drawing(program: Program, constants: Constants) -> Lines:
    """Statements of the model's `__init__` that draw matrices; none where every operator keeps torch's rule."""
    found = {place.path: getattr(place.node.what, "init", None) for place in program.places()}
    rules = {path: init for path, init in found.items() if isinstance(init, Init)}
    if not rules:
        return []
    maps = [
        place.node.what
        for place in program.places()
        if isinstance(place.node.what, Linear | Conv1d | Conv2d)
    ]
    named = {Linear: "nn.Linear", Conv1d: "nn.Conv1d", Conv2d: "nn.Conv2d"}
    kinds = [name for kind, name in named.items() if any(isinstance(m, kind) for m in maps)]
    biased = any(found.bias for found in maps)
    if any(rule.kind == "xavier_uniform" for rule in rules.values()):
        return [
            Line(2, "for module in self.modules():"),
            Line(3, f"if isinstance(module, {' | '.join(kinds)}):"),
            Line(4, "nn.init.xavier_uniform_(module.weight)"),
            *(_no_bias(kinds) if biased else []),
        ]
    wide = max(rule.a for rule in rules.values())
    narrow = {path.rpartition(".")[2]: rule.a for path, rule in rules.items() if rule.a < wide}
    std = constants.setting("STD", wide)
    lines = [
        Line(
            2,
            f"for {'name, module' if narrow else 'module'} in self.{'named_' if narrow else ''}modules():",
        ),
        Line(3, f"if isinstance(module, {' | '.join([*kinds, 'nn.Embedding'])}):"),
    ]
    if narrow:
        steps = round((wide / min(narrow.values())) ** 2)
        ends = ", ".join(f'".{name}"' for name in sorted(narrow, reverse=True))
        ends = f"({ends})" if len(narrow) > 1 else ends
        lines.append(
            Line(4, f"std = {std} / {_root(steps, constants)} if name.endswith({ends}) else {std}")
        )
    lines.append(Line(4, f"nn.init.normal_(module.weight, std={'std' if narrow else std})"))
    return [*lines, *(_no_bias(kinds) if biased else [])]


def _no_bias(kinds: list[str]) -> Lines:
    kind = " | ".join(kinds)
    return [
        Line(3, f"if isinstance(module, {kind}) and module.bias is not None:"),
        Line(4, "nn.init.zeros_(module.bias)"),
    ]


def _root(steps: int, constants: Constants) -> str:
    layers = constants.key.sizes.get("L", 0)
    if layers and steps % layers == 0:
        constants.used.add("L")
        return f"({steps // layers} * L) ** 0.5" if steps != layers else "L**0.5"
    return f"{steps}**0.5"
