"""Small specs by chance, dense in the words of attention, positions and routers that meet there."""

from typing import Any, Final

from tests.verify.random_layers import ACTIVATIONS, NORMS, Chance, Tree

LONGEST: Final = 24
ROWS: Final = 40
RARE: Final = 0.15


class Words(Chance):
    """A decoder or encoder over tokens, whose layers look in ways that differ."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.width = self.one(8, 12, 16)
        self.mask = self.one("causal", "causal", "full")
        self.padded = self.odds()
        self.packed = not self.padded and self.odds(RARE)
        kinds = {"max": LONGEST, "padded": self.padded, "segments": self.packed}
        tokens = {word: value for word, value in kinds.items() if value}
        self.inputs: Tree = {"ids": {"tokens": tokens}}

    def spec(self) -> Tree:
        """All of it."""
        layer = {"attn": self.placed(self.looking()), "feed": self.placed(self.feed())}
        found: Tree = {"repeat": self.one(1, 2, 3), "layer": layer}
        if self.odds(0.25):
            found["cycle"] = [{}, {"attn": self.looking()}]
        graph: Tree = {
            "tok": {"embed": self.table(), "in": "ids"},
            "h": {"stack": found},
            **self.some({"again": {"stack": {"repeat": 1, "layer": {"x": self.looking()}}}}, 0.2),
            **self.some({"back": {"stack": {"repeat": 2, "layer": self.back()}}}, RARE),
            **self.end(),
        }
        defaults = {"norm": self.one(*NORMS), "norm_at": self.one("pre", "post", "out")}
        defaults |= self.some({"bias": True})
        return {"name": "words", "inputs": self.inputs, "defaults": defaults, "graph": graph}

    def back(self) -> Tree:
        """A layer that looks at a node before it, also at the one that it starts from."""
        across = {**self.heads(), "source": self.one("h", "tok")}
        return {"cross": {"attention": across}, "attn": self.looking()}

    def placed(self, step: Tree) -> Tree:
        """A residual step with settings of its own."""
        options = {"layerscale": 0.3, "branch_scale": 0.22, "skip_scale": 2, "drop_path": 0.1}
        places = self.one("pre", "post", "out", ["pre", "out"], ["pre", "post"])
        return {**step, **self.some({**options, "norm_at": places}, RARE)}

    def heads(self) -> Tree:
        """What an attention has wherever it looks."""
        heads = self.one(1, 2, 4)
        norm = {
            self.one("rms", "layer"): 1e-5,
            **self.one({"over": "all"}, {}, {"when": "after_rope"}, {"over": "per_head"}),
        }
        options = {
            "head_dim": self.one(2, 4, 6, 8),
            "value_dim": self.one(1, 3, 5),
            "bias": self.one(True, "qkv", "o", "qvo"),
            "softcap": self.one(0.2, 3, 50),
            "clip_qkv": self.one(0.1, 1),
            "sink": True,
            "gate": True,
            "temperature": {"scale": self.one(0.1, 1), "floor": self.one(1, 2, 5)},
            "qk_norm": self.one("l2", norm),
            **self.one({"scale": 0.5}, {"score": "dot"}, {"score": "additive"}),
        }
        shared = self.one(*[n for n in (1, 2, 4) if heads % n == 0])
        return {"heads": heads, "kv_heads": shared, **self.some(options, RARE)}

    def looking(self) -> Tree:
        """An attention within the sequence, with one way or none to know its positions."""
        if self.odds(0.12):
            return self.latent()
        body = {**self.heads(), "mask": self.mask}
        near = {"window": self.one(1, 2, 3, 5, 30), "chunk": self.one(1, 2, 3, 4, 30)}
        body |= self.some(near, RARE)
        if self.odds(RARE) and (self.mask == "causal" or "window" in body or "chunk" in body):
            self.inputs["open"] = "count"
            body["prefix"] = "open"
        if self.odds(0.05) and not self.padded and "prefix" not in body:
            self.inputs["seen"] = {"mask": ["T", "T"]}
            body["mask"] = "seen"
        match self.one("rope", "rope", "alibi", "t5", "disentangled", "none"):
            case "rope" if (dim := body.get("head_dim", self.width // body["heads"])) % 2 == 0:
                body["rope"] = self.rope(dim)
            case "alibi":
                slopes = self.one({}, {"max_bias": self.one(1, 4, 16)}, {"scaled": True})
                body["position_bias"] = {"alibi": slopes}
            case "t5":
                body["position_bias"] = {"t5": self.buckets()}
            case "disentangled":
                body["kv_heads"] = body["heads"]
                body["position_bias"] = {"disentangled": self.distances()}
        return {"attention": body}

    def latent(self) -> Tree:
        """An attention over latent vectors."""
        turned = self.one(2, 4)
        widths = {"kv_rank": self.one(1, 3, 8), "nope_dim": self.one(1, 4), "v_dim": self.one(1, 4)}
        widths |= {"rope_dim": turned, **self.some({"q_rank": self.one(2, 5)})}
        options = {"rope": self.rope(turned, whole=True), "window": 3, "chunk": 2}
        body = {"heads": self.one(1, 2), "mask": self.mask, "bias": False, "latent": widths}
        return {"attention": body | self.some(options)}

    def rope(self, head_dim: int, *, whole: bool = False) -> Tree:
        """Rotary positions, on a part of each head or stretched."""
        body: Tree = {"theta": self.one(3, 100, 10000), **self.some({"pairs": "adjacent"})}
        turned = head_dim
        if not whole and head_dim >= 4 and self.odds(0.4):
            part = {"fraction": 0.5} if head_dim % 4 == 0 and self.odds() else {"dim": 2}
            body |= part
            turned = head_dim // 2 if "fraction" in part else 2
        if self.odds():
            body["scaling"] = self.scaling(turned // 2)
        return body

    def scaling(self, pairs: int) -> Tree:
        """What stretches `pairs` rotary pairs; short originals are crossed by the examples."""
        short = [1 + 0.5 * pair for pair in range(pairs)]
        long = [2 + pair for pair in range(pairs)]
        lists = {"short_factor": short, "long_factor": long}
        kinds: list[Tree] = [
            {"linear": {"factor": self.one(0.5, 4)}},
            {"llama3": {"factor": 8, "original": self.one(4, 64), "low_freq_factor": 2}},
            {"yarn": {"factor": self.one(1, 4), "original": self.one(4, 32), "beta_fast": 4}},
            {"yarn": {"factor": 4, "original": 32, "truncate": False, "attention_factor": 1.3}},
            {"longrope": {"original": self.one(3, 64), **lists, "factor": self.one(1, 3)}},
            {"proportional": {"factor": self.one(1, 2)}},
        ]
        if pairs > 1:
            kinds.append({"dynamic": {"factor": self.one(1, 4), "original": self.one(3, 64)}})
        return dict(self.one(*kinds))

    def buckets(self) -> Tree:
        """T5's biases."""
        options = {"bidirectional": self.odds(), "per": self.one("stack", "layer")}
        return {"buckets": self.one(16, 32), "max_distance": 128, **self.some(options)}

    def distances(self) -> Tree:
        """DeBERTa's biases."""
        options = {
            "buckets": self.one(4, 8),
            "terms": self.one(["c2p"], ["p2c"], ["c2p", "p2c"]),
            "share_projections": True,
            "norm": self.one({"layer": 1e-5}, {"rms": 1e-6}),
        }
        return {"max_distance": self.one(16, 64), **self.some(options, 0.5)}

    def feed(self) -> Tree:
        """A feed-forward network or a mixture of them."""
        if self.odds(0.75):
            return {"mlp": self.network()}
        experts = self.one(1, 2, 4)
        score = self.one({}, {"score": "sigmoid"}, {"score": "none", "after_topk": "softmax"})
        weighed = self.one({}, {"weigh": "input"}, {"capacity": 0.5}, {"jitter": 0.1})
        router = {**score, **weighed, **self.some({"correction": True, "bias": True, "scale": 2.5})}
        top = self.random.randint(1, experts)
        if experts == 4 and top <= 2:
            router |= self.one({}, {"groups": 2, "top_groups": 1, "group_score": "top2"})
        router |= self.one({}, {"renorm": True}, {"renorm": True, "renorm_eps": 0.1})
        body = {"experts": experts, "top_k": top, "expert": self.network(), "router": router}
        return {"moe": {**body, **self.some({"shared": {**self.network(), "token_gate": True}})}}

    def network(self) -> Tree:
        """A feed-forward network."""
        options = {"gated": True, "bias": True}
        return {"hidden": self.one(4, 8, 12), "act": self.one(*ACTIVATIONS), **self.some(options)}

    def table(self) -> Tree:
        """The embedding and the positions that it adds."""
        learned: Tree = {"learned": ROWS, "offset": self.one(0, 2)}
        if self.padded:
            learned |= self.one({}, {"from": "mask"}, {"from": "nonpad", "offset": 2})
        waves = {"max": ROWS, "layout": self.one("halves", "interleaved"), "span": "d-2"}
        options: Tree = {
            "positions": self.one(learned, {"sinusoid": waves}),
            "norm": self.one(*NORMS),
            "types": 2,
            "scale": "sqrt(3)",
        }
        found = {"vocab": 23, "dim": self.width, **self.some(options)}
        found |= {"round_scale": True} if "scale" in found and self.odds() else {}
        return found | (self.some({"mask_pads": True}, 0.2) if self.padded else {})

    def end(self) -> Tree:
        """Logits, one vector, or the states themselves."""
        options: dict[str, Any] = {"softcap": self.one(0.5, 30), "scale": -2, "bias": True}
        rows = self.one({"tie": "tok"}, {"vocab": 11}, {"vocab": 11, "project": 3})
        logits = {"logits": {"unembed": {**rows, **self.some(options)}}}
        pools = (
            *("first", "last", "mean", {"mean": {"skip": 1}}, {"index": -2}),
            *({"attention": {"heads": 2}}, {"eos": {"ids": "ids", "token": "max_id"}}),
        )
        pooled = {"one": {"pool": self.one(*pools)}}
        return dict(self.one(logits, logits, {} if self.packed else pooled, {}))


def dense(seed: int) -> Tree:
    """The spec of a seed; some are none, where words that chance put together do not go so."""
    return Words(seed).spec()
