"""What published encoders have in common: sizes, settings, graph, the head that fills masks."""

from collections.abc import Sequence

from archspec.source.frozen import Frozen
from compiler.importers.config.config import Config
from compiler.importers.config.decoder import architecture_of, defaults, only_bare, tied
from compiler.importers.config.pattern import stack
from compiler.importers.config.written import Written, said

MASKED = "ForMaskedLM"


def sizes(config: Config, *, length: int | None) -> Written:
    """`dims:` of an encoder; `length` is that of its learned table of positions, if it has one."""
    return said(
        vocab=config.whole("vocab_size"),
        d_model=config.whole("hidden_size"),
        n_layers=config.whole("num_hidden_layers"),
        n_heads=config.whole("num_attention_heads"),
        d_ff=config.whole("intermediate_size"),
        max_len=length,
    )


def settings(config: Config, norm: Written, *, at: str, bias: bool) -> Written:
    """`defaults:`; what is dropped behind sub-layers is dropped behind the embedding too."""
    hidden, attention = (
        config.number("hidden_dropout", 0.0),
        config.number("attention_dropout", 0.0),
    )
    rates = {"residual": hidden, "attention": attention, "embed": hidden}
    return defaults(config, norm, rates, at=at, bias=bias)


def bidirectional(config: Config) -> None:
    """Refuse the decoders that some encoders can be made into."""
    why = "only encoders are imported"
    config.only("is_decoder", False, why)
    config.only("add_cross_attention", False, why)


class Head(Frozen):
    """What the files of a family call the parts behind its layers, and how these are made.

    `table` is the tensor of the embedding, `decoder` that of the logits and `pooler` that of BERT's
    vector; `pooled` says whether a bare model has one where no file tells. `act` stands in the head
    that fills masks, `width` is that of its layer, `bias` says whether layers have one where
    that is not what `defaults:` say.
    """

    decoder: str
    act: str
    table: str = "embeddings.word_embeddings.weight"
    pooler: str = ""
    pooled: bool = True
    width: str = "d_model"
    bias: bool | None = None
    logits_bias: bool = True

    def nodes(self, config: Config, norm: Written) -> Written:
        """The nodes behind the layers: a head that fills masks, a pooler, or none."""
        architecture = architecture_of(config)
        if architecture.endswith(MASKED):
            return self._filling(config, norm)
        only_bare(config, "only bare models and masked language models are imported")
        config.ignore("tie_word_embeddings")
        return self._pooler() if self._is_pooled(config) else {}

    def _filling(self, config: Config, norm: Written) -> Written:
        """Devlin et al. 2019: a layer, its norm, the logits."""
        ties = tied(config, self.table, self.decoder)
        table = {"tie": "tok"} if ties else {"vocab": "vocab"}
        return {
            "transform": {"linear": said(dim=self.width, act=self.act, bias=self.bias)},
            "transform_norm": {"norm": norm},
            "logits": {"unembed": said(**table, bias=self.logits_bias or None)},
        }

    def _pooler(self) -> Written:
        """A layer on the first token."""
        return {
            "first": {"pool": "first"},
            "pooler": {"linear": said(dim="d_model", act="tanh", bias=self.bias)},
        }

    def _is_pooled(self, config: Config) -> bool:
        if not config.tensors.tensors:
            return self.pooled and bool(self.pooler)
        return bool(self.pooler) and config.tensors.find(self.pooler) is not None


def encoder(
    dims: Written,
    *,
    embed: Written,
    defaults: Written,
    layers: Sequence[Written],
    before: Written | None = None,
    final: Written | None = None,
    behind: Written | None = None,
    longest: int | None = None,
    share: bool = False,
) -> Written:
    """The spec of an encoder: embedding, layers, perhaps a last norm, and what stands behind it.

    `before` are nodes between embedding and layers, `behind` a head or a pooler. The results are a
    head's logits, else the hidden states and, with a pooler, BERT's vector. `share` gives all
    layers one set of weights.
    """
    layered = stack(layers, "n_layers")
    if share:
        layered["share"] = True
    graph: Written = {
        "tok": {"embed": {"vocab": "vocab", "dim": "d_model", **embed}, "in": "ids"},
        **(before or {}),
        "h": {"stack": layered},
    }
    if final is not None:
        graph["final"] = {"norm": final}
    last = next(reversed(graph))
    graph |= behind or {}
    return said(
        dims=dims,
        inputs={"ids": {"tokens": said(max=longest, padded=True)}},
        defaults=defaults,
        graph=graph,
        outputs=[last, "pooler"] if "pooler" in graph else None,
    )
