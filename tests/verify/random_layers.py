"""Layers and heads by chance: what may stand in a spec, with sizes that fit."""

import random
from typing import Any, Final, TypeAlias

Tree: TypeAlias = dict[str, Any]

WORDS: Final = (
    "torch F nn Tensor B T S C D H K L M V pos kv seen angle model encode decode ids_mask layer "
    "block x y h q k v o qkv kv_2 gate up down norm post_norm add tokens positions types table "
    "memory memory_seen rotate cached sinusoid place len range list int print super math model_2 "
    "main layers device dtype weight bias index E N P W logits forward_2 x_BTD y_BTD block_2 "
    "seen_TW attn mlp embed drop cls flat project Z9 i state router token loss optimizer"
)
NAMES: Final = tuple(WORDS.split())
"""Names that generated code uses too, or might: a spec may call its nodes so."""

ACTIVATIONS: Final = ("gelu", "gelu_tanh", "quick_gelu", "relu", "relu2", "silu", "tanh", "sigmoid")
NORMS: Final[tuple[Any, ...]] = (
    {"layer": 1e-5},
    {"rms": 1e-6},
    {"layer": {"eps": 1e-6, "bias": False}},
    {"layer": {"eps": 1e-5, "affine": False}},
    {"rms": {"eps": 1e-6, "affine": False}},
    {"rms": {"eps": 1e-5, "unit_offset": True}},
    {"rms": {"eps": 1e-5, "multiply": "after_cast"}},
    {"rms": {"eps": 1e-5, "unit_offset": True, "multiply": "after_cast"}},
    "l2",
)
SCALINGS: Final[tuple[Tree, ...]] = (
    {"linear": {"factor": 4}},
    {"llama3": {"factor": 8, "original": 64}},
    {"yarn": {"factor": 4, "original": 32, "beta_fast": 4}},
    {"proportional": {}},
)
PLACES: Final = (
    *("pre", "post", "out"),
    *(["pre", "out"], ["pre", "post"], ["out", "post"], ["pre", "out", "post"]),
)


class Chance:
    """Draws; the same seed draws the same."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def odds(self, probability: float = 0.5) -> bool:
        """Yes with a probability."""
        return self.random.random() < probability

    def one(self, *choices: Any) -> Any:
        """One of several values."""
        return self.random.choice(choices)

    def some(self, options: Tree, probability: float = 0.35) -> Tree:
        """Some of the keys of a mapping."""
        return {name: value for name, value in options.items() if self.odds(probability)}


class Layers(Chance):
    """Mixers, sub-layers and stacks of a width."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.dims: Tree = {}
        self.blocks: Tree = {}
        self.placed = self.odds(0.7)
        """Whether the spec's defaults have a norm and its place."""
        self.conv = True
        """Whether a convolution may look around: not where padding or another document stands."""
        self.rnn = True
        """Whether a recurrence may run: not from one document into the next."""

    def size(self, number: int) -> Any:
        """A number as itself, as a name of `dims` or as an expression over one."""
        if not self.odds(0.25) or len(self.dims) > 6:
            return number
        known = [name for name, value in self.dims.items() if value == number]
        if known and self.odds(0.7):
            return self.one(*known)
        name = self.one("d", "width", "T", "D", "batch", "n", "x", "B", "d_model") + str(
            len(self.dims)
        )
        halved = number % 2 == 0 and self.odds()
        self.dims[name] = number // 2 if halved else number
        return f"2*{name}" if halved else name

    def attention(self, width: int, mask: str, sources: list[str]) -> Tree:
        """An attention, now and then to one of `sources`."""
        heads = self.one(*[n for n in (1, 2, 3, 4, 5) if width % n == 0])
        if self.odds(0.1):
            return self.latent(heads, mask)
        options = {
            "kv_heads": self.one(*[n for n in (1, 2, 4) if heads % n == 0]),
            "scale": self.one(0.5, "4**-0.5", 1),
            "head_dim": self.one(2, 4, 6, 1, 3),
            "value_dim": self.one(1, 2, 5),
            "bias": self.one(True, "qkv", "qvo", "o", "v", False, "none"),
        }
        rare = {"softcap": 3, "sink": True, "gate": True, "clip_qkv": self.one(0.5, 4)}
        norm = self.one("l2", {"rms": 1e-5, "over": "all"}, {"layer": 1e-5, "over": "per_head"})
        rare |= {"score": "additive", "qk_norm": norm, "temperature": {"scale": 0.5, "floor": 2}}
        seen = {"window": self.one(1, 3, 8), "chunk": self.one(1, 4), "segments": False}
        body: Tree = {"heads": self.size(heads), "mask": mask, **self.some(options)}
        body |= self.some(rare, 0.12)
        if "score" in body:
            body.pop("scale", None)
        dim = body.get("head_dim", width // heads)
        if sources and self.odds(0.4):
            body["source"] = self.one(*sources)
            del body["mask"]
            return {"attention": body}
        body |= self.some(seen, 0.1)
        if dim % 2 == 0 and self.odds():
            ropes: list[Tree] = [{"theta": 100}, {"pairs": "adjacent"}, {}, {"dim": 2}]
            if dim % 4 == 0:
                ropes += [{"fraction": 0.5}, {"fraction": 0.5, "pairs": "adjacent"}]
            scalings = self.some({"scaling": self.one(*SCALINGS)}, 0.3)
            body["rope"] = {**self.one(*ropes), **scalings}
        return {"attention": body}

    def latent(self, heads: int, mask: str) -> Tree:
        """An attention over latent vectors."""
        widths = {
            "kv_rank": self.one(1, 3, 8),
            "nope_dim": self.one(1, 2, 5),
            "rope_dim": self.one(2, 4),
            "v_dim": self.one(1, 3, 4),
            **self.some({"q_rank": self.one(2, 5)}),
        }
        options = {"rope": self.one({}, {"pairs": "adjacent"}), "scale": 0.5, "window": 3}
        body = {"heads": heads, "mask": mask, "bias": False, "latent": widths}
        return {"attention": body | self.some(options)}

    def mlp(self) -> Tree:
        """A feed-forward network, down to a width of 1."""
        options = self.some({"gated": True, "bias": self.one(True, False)})
        hidden = self.size(self.one(1, 8, 12, 20, 3))
        return {"mlp": {"hidden": hidden, "act": self.one(*ACTIVATIONS), **options}}

    def mixture(self) -> Tree:
        """A mixture of experts."""
        experts = self.one(1, 2, 4)
        router = {
            "score": "softmax",
            "renorm": self.odds(),
            "bias": self.odds(),
            **self.some({"aux_loss": {"balance": 0.01, "z": 0.001}, "correction": True}),
            **self.some({"score": "sigmoid", "scale": 2.5, "weigh": "input"}, 0.2),
        }
        top = self.random.randint(1, experts)
        if experts == 4 and top <= 2:
            router |= self.one({}, {"groups": 2, "top_groups": 1, "group_score": "top2"})
        body = {"experts": self.size(experts), "top_k": top, "expert": self.expert()}
        shared = {**self.expert(), "token_gate": self.odds()}
        return {"moe": {**body, **self.some({"router": router, "shared": shared}, 0.7)}}

    def expert(self) -> Tree:
        """One of the networks of a mixture."""
        body = {"hidden": self.size(self.one(1, 6, 8)), "act": self.one(*ACTIVATIONS)}
        body |= self.some({"gated": True, "bias": True})
        if "gated" in body:
            body |= self.some({"act": "silu", "clamp": 0.5, "alpha": 1.7, "up_offset": 1}, 0.2)
        if body["act"] != "silu":
            body.pop("alpha", None)
        return body

    def recurrence(self, width: int, causal: bool) -> Tree:
        """A recurrence that ends in the width that it began with."""
        both = not causal and width % 2 == 0 and self.odds()
        body = {"cell": self.one("gru", "lstm", "rnn"), "dim": width // 2 if both else width}
        return {"rnn": {**body, "bidirectional": both, **self.some({"layers": 2})}}

    def convolution(self, width: int, causal: bool) -> Tree:
        """A convolution over a sequence that keeps its length."""
        groups = self.one("depthwise", 1, *([2] if width % 2 == 0 else []))
        options = self.some({"bias": True, "dilation": 2, "groups": groups})
        if causal:
            return {"conv": {"kernel": self.one(1, 2, 3, 5), "causal": True, **options}}
        return {"conv": {"kernel": self.one(1, 3, 5), **options}}

    def mixer(self, width: int, mask: str, sources: list[str]) -> Tree:
        """What may stand in a sub-layer."""
        kinds = ["attention", "mlp", "moe", "rnn", "conv"]
        match self.random.choices(kinds, [10, 8, 1, int(self.rnn), 2 * self.conv])[0]:
            case "attention":
                return self.attention(width, mask, sources)
            case "mlp":
                return self.mlp()
            case "moe":
                return self.mixture()
            case "rnn":
                return self.recurrence(width, mask == "causal")
            case _:
                return self.convolution(width, mask == "causal" or self.odds(0.2))

    def sublayer(self, width: int, mask: str, sources: list[str]) -> Tree:
        """A residual step with one mixer or several side by side."""
        if self.odds(0.2):
            names = self.random.sample(NAMES, self.random.randint(1, 3))
            branches = {name: self.mixer(width, mask, sources) for name in names}
            for branch in branches.values():
                branch |= self.some({"norm": self.one(*NORMS)})
            body: Tree = {"parallel": branches}
        else:
            body = self.mixer(width, mask, sources)
        options = {
            "branch_scale": self.one(0.5, -1),
            "skip_scale": self.one(2, 0.5),
            "layerscale": self.one(0.1, 1e-4),
            "dropout": self.one(0.2, 0, {"attention": 0.3}),
        }
        body |= self.some(options, 0.2)
        if self.odds(0.4):
            body["norm_at"] = self.one(*PLACES)
            if not self.placed or self.odds():
                body["norm"] = self.one(*NORMS)
        elif self.odds(0.1):
            body["norm_at"] = "none"
        return body

    def layer(self, width: int, mask: str, sources: list[str]) -> Tree:
        """One to three residual steps."""
        names = self.random.sample([*NAMES, "self", "cross"], self.random.randint(1, 3))
        return {name: self.sublayer(width, mask, sources) for name in names}

    def stack(self, width: int, mask: str, sources: list[str], block: str) -> Tree:
        """Layers, all alike or varied; now and then a block called `block` holds them."""
        repeat = self.one(1, 1, 2, 3, 4, 5) if self.placed else self.one(1, 2)
        body = self.layer(width, mask, sources)
        found: Tree = {"repeat": self.size(repeat), "layer": body}
        if self.odds(0.25):
            extra = {"mlp": {"hidden": "size", "act": "relu"}, "norm_at": "none"}
            self.blocks[block] = {"params": {"size": 7}, "layer": {**body, "extra": extra}}
            options = {"with": {"size": self.one(4, 5)}, "set": {"extra.mlp.hidden": 9}}
            found["layer"] = {"use": block, **self.some(options)}
        way = self.one("plain", "plain", "cycle", "at", "both", "share")
        target = self.one(*body)

        def patch() -> Tree:
            added = {"added": {**self.mlp(), "norm_at": "none"}}
            other = {target: {**self.mixer(width, mask, sources), "norm_at": "none"}}
            halved = {f"{target}.branch_scale": 0.25}
            return dict(self.one({}, halved, added, other, {f"{target}.norm_at": "none"}))

        if way in ("cycle", "both"):
            rounds = range(self.random.randint(1, 3))
            found["cycle"] = [self.one(patch(), {"times": 2, "patch": patch()}) for _ in rounds]
        if way in ("at", "both"):
            i = self.random.randrange(repeat)
            places = (str(i), str(i - repeat), f"0..{i + 1}", f"{i - repeat}..{repeat}")
            found["at"] = {self.one(*places): patch()}
        if way == "share":
            found["share"] = True
        return {"stack": found}
