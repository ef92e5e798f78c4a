"""How the weights of a model are drawn: the spec's `init` turned into rules for each parameter."""

from archspec.model.init import Init as Rule
from archspec.model.spec import Spec
from archspec.model.stack import Stack
from archspec.source.frozen import Frozen
from compiler.ir.init import Init


class Draws(Frozen):
    """`kind` is `torch`, `xavier` or `normal`; a normal has a standard deviation.

    Residual projections of a model with `steps` residual steps may be drawn narrower by 1/√steps
    (Radford et al. 2019, section 2.3).
    """

    kind: str = "torch"
    std: float = 0.0
    depth_scaled: bool = False
    steps: int = 1

    @classmethod
    def of(cls, spec: Spec) -> "Draws":
        """The rules of a whole model."""
        stacks = [node.component for node in spec.graph.values()]
        layers = [s.variants[i] for s in stacks if isinstance(s, Stack) for i in s.order]
        steps = sum(len(layer.sublayers) for layer in layers)
        return cls(steps=max(1, steps)).by(spec.init)

    def by(self, rule: Rule) -> "Draws":
        """The same model drawn by another rule of the spec."""
        return Draws(rule.kind, rule.std, rule.depth_scaled, self.steps)

    def inner(self, fan_in: int, fan_out: int) -> Init | None:
        """The rule of a matrix within a branch; None is torch's own."""
        if self.kind == "xavier":
            return Init("xavier_uniform", fan_in, fan_out)
        return Init("normal", self.std) if self.kind == "normal" else None

    def residual(self, fan_in: int, fan_out: int) -> Init | None:
        """The rule of the matrix that ends a branch."""
        if self.kind == "normal" and self.depth_scaled:
            return Init("normal", self.std / self.steps**0.5)
        return self.inner(fan_in, fan_out)

    def table(self) -> Init | None:
        """The rule of an embedding table.

        Under `xavier` N(0, D^-1/2): a table that also makes the logits gives them a variance of
        one behind a norm, and `scale: sqrt(d_model)` (Vaswani et al. 2017, section 3.4) gives
        tokens that of the sinusoids' order.
        """
        if self.kind == "xavier":
            return Init("unit_rows")
        return Init("normal", self.std) if self.kind == "normal" else None
