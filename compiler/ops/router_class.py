"""The torch class of a router: one that says only what this router does."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from compiler.ir.rules import Writer

if TYPE_CHECKING:
    from compiler.ops.router import Router

BALANCE: Final = '''
def {name}(score_BTE: Tensor, expert_BTA: Tensor) -> Tensor:
    """{E} times the sum over experts of their part of all choices times their mean score.

    Fedus et al. 2022, eq. 4: 1 where every expert is chosen alike, up to {E} where one gets all.
    """
    expert = expert_BTA.flatten()[:, None]
    chosen_E = (expert == torch.arange({E}, device=expert.device)).float().mean(dim=0)
    return {E} * (chosen_E * score_BTE.flatten(0, -2).mean(dim=0)).sum()
'''

BEST_GROUPS: Final = '''
def {name}(score_BTE: Tensor) -> Tensor:
    """Scores in the {kept} of {count} groups with the highest {best}; else -inf."""
    group = score_BTE.unflatten(-1, ({count}, -1))
    kept = {score}.topk({kept}, dim=-1).indices
    shut = torch.ones_like(group[..., 0], dtype=torch.bool).scatter(-1, kept, False)
    return group.masked_fill(shut[..., None], float("-inf")).flatten(-2)
'''

WITHIN_CAPACITY: Final = '''
def {name}(expert_BTA: Tensor) -> Tensor:
    """Which choices are the first of their expert, {capacity} times an even part of all of them."""
    expert = expert_BTA.flatten()[:, None]
    chosen = expert == torch.arange({E}, device=expert.device)
    before = chosen.cumsum(dim=0).gather(1, expert) - 1
    return (before < {capacity} * expert.shape[0] / {E}).view_as(expert_BTA)
'''


def router_class(router: "Router", w: Writer) -> str:
    """The name of the class, put beside the model's."""
    lines = [*_head(router), *_forward(router, w)]
    return w.helper("Router", lettered("\n".join(lines), w))


def lettered(source: str, w: Writer) -> str:
    """A helper's text with the letters of one use in the place of `{D}`, `{E}` and `{A}`."""
    for letter in "DEA":
        source = source.replace(f"{{{letter}}}", w.dim(letter))
    return source


def _head(router: "Router") -> Iterator[str]:
    yield "class {name}(nn.Linear):"
    said = "The {A} experts of each token with the highest scores, and their shares."
    more = list(_more(router))
    yield f'    """{said}' if more else f'    """{said}"""'
    if more:
        yield ""
        yield from (f"    {line}" for line in more)
        yield '    """'
    if router.trains:
        yield ""
        yield "    aux_loss: Tensor"
    yield ""
    if router.correction:
        bias = "" if router.bias else ", bias=False"
        yield "    def __init__(self) -> None:"
        yield f"        super().__init__({{D}}, {{E}}{bias})"
        yield "        self.correction = nn.Buffer(torch.zeros({E}))"
        yield ""


def _more(router: "Router") -> Iterator[str]:
    """What else its docstring says."""
    if router.correction:
        yield "`correction` moves the choice and no share; who trains moves it against the load."
    if router.training is not None and router.training.repeated and router.trains:
        yield "In training each use adds to `aux_loss`, which the model sets to zero first."
    elif router.trains:
        yield "In training `aux_loss` is what the last forward adds to the model's loss."


def _forward(router: "Router", w: Writer) -> Iterator[str]:
    training = router.training
    yield "    def forward(self, x_BTD: Tensor) -> tuple[Tensor, Tensor]:"
    if training is not None and training.jitter:
        jitter = w.constant("JITTER", training.jitter)
        yield "        if self.training:"
        noise = f"torch.empty_like(x_BTD).uniform_(1 - {jitter}, 1 + {jitter})"
        yield f"            x_BTD = x_BTD * {noise}"
    yield "        logits_BTE = super().forward(x_BTD).float()"
    if router.score == "sigmoid":
        yield "        score_BTE = logits_BTE.sigmoid()"
    elif router.score == "softmax" or (training is not None and training.balance):
        yield "        score_BTE = logits_BTE.softmax(dim=-1)"
    yield from _choice(router, w)
    *steps, last = ["share_BTA", *_share(router, w)]
    capacity = training.capacity if training is not None else 0.0
    if capacity and last != "share_BTA":
        steps.append(last)
    yield from (f"        share_BTA = {step}" for step in steps[1:])
    if router.trains or capacity:
        yield "        if self.training:"
        if router.trains:
            yield f"            self.aux_loss = {' + '.join(_losses(router, w))}"
        if capacity:
            source = WITHIN_CAPACITY.replace("{capacity}", w.constant("CAPACITY", capacity))
            within = w.helper("within_capacity", lettered(source, w))
            yield f"            share_BTA = share_BTA * {within}(expert_BTA)"
    yield f"        return {'share_BTA' if capacity else last}, expert_BTA"


def _choice(router: "Router", w: Writer) -> Iterator[str]:
    """The chosen experts, and their scores as they are without a correction."""
    score = "score_BTE" if router.score else "logits_BTE"
    choice = f"{score} + self.correction" if router.correction else score
    if router.groups is not None:
        choice = f"{_best_groups(router, w)}({choice})"
    elif router.correction:
        choice = f"({choice})"
    if router.correction:
        yield f"        expert_BTA = {choice}.topk({{A}}, dim=-1).indices"
        yield f"        share_BTA = {score}.gather(-1, expert_BTA)"
    else:
        yield f"        share_BTA, expert_BTA = {choice}.topk({{A}}, dim=-1)"


def _best_groups(router: "Router", w: Writer) -> str:
    groups = router.groups
    assert groups is not None
    best, score = ("best score", "group.amax(dim=-1)")
    if groups.pairs:
        best, score = ("sum of two scores", "group.topk(2, dim=-1).values.sum(dim=-1)")
    source = BEST_GROUPS.replace("{best}", best).replace("{score}", score)
    source = source.replace("{count}", w.constant("GROUPS", groups.count))
    source = source.replace("{kept}", w.constant("TOP_GROUPS", groups.kept))
    return w.helper("best_groups", source)


def _share(router: "Router", w: Writer) -> Iterator[str]:
    """What the chosen scores become, step by step."""
    if router.after_topk == "softmax":
        yield "share_BTA.softmax(dim=-1)"
    elif router.after_topk == "sigmoid":
        yield "share_BTA.sigmoid()"
    if router.renorm:
        whole = "share_BTA.sum(dim=-1, keepdim=True)"
        if router.renorm_eps:
            whole = f"({whole} + {w.constant('RENORM_EPS', router.renorm_eps)})"
        yield f"share_BTA / {whole}"
    if router.scale is not None:
        yield f"{w.constant('SHARE_SCALE', router.scale)} * share_BTA"


def _losses(router: "Router", w: Writer) -> Iterator[str]:
    training = router.training
    assert training is not None
    if training.repeated:
        yield "self.aux_loss"
    if training.balance:
        score = "score_BTE"
        if router.score == "sigmoid":
            score = "score_BTE / score_BTE.sum(dim=-1, keepdim=True)"
        balance = w.helper("balance", lettered(BALANCE, w))
        yield f"{w.constant('BALANCE', training.balance)} * {balance}({score}, expert_BTA)"
    if training.z_loss:
        squared = "logits_BTE.logsumexp(dim=-1).square().mean()"
        yield f"{w.constant('Z_LOSS', training.z_loss)} * {squared}"
