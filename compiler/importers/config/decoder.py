"""What most published decoders have in common: their sizes, settings, graph and head."""

from collections.abc import Mapping, Sequence

from compiler.importers.config.config import Config
from compiler.importers.config.pattern import stack
from compiler.importers.config.written import Written, said

HEADS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")


def sizes(config: Config, *, kv_heads: int | None = None, learned: bool = False) -> Written:
    """`dims:` of a decoder, with `max_len` where it has a learned table of positions.

    `kv_heads` is for families that have no number of them. An mlp without a width is four times as
    wide as the model, as in the first transformers.
    """
    width, heads = config.whole("hidden_size"), config.whole("num_attention_heads")
    kv_heads = kv_heads or config.optional("num_key_value_heads")
    head_dim = config.optional("head_dim")
    return said(
        vocab=config.whole("vocab_size"),
        d_model=width,
        n_layers=config.whole("num_hidden_layers"),
        n_heads=heads,
        n_kv_heads=None if kv_heads == heads else kv_heads,
        d_head=None if head_dim and head_dim * heads == width else head_dim,
        d_ff=config.optional("intermediate_size") or 4 * width,
        max_len=config.whole("max_position_embeddings") if learned else None,
    )


def heads(dims: Written) -> Written:
    """The heads of an attention by the names of `dims`."""
    named = {"heads": "n_heads", "kv_heads": "n_kv_heads", "head_dim": "d_head"}
    return {word: name for word, name in named.items() if name in dims}


def settings(
    config: Config,
    norm: Written,
    *,
    at: str = "pre",
    bias: bool = False,
    embed: str = "embedding_dropout",
) -> Written:
    """`defaults:` with the dropout of training and the width of the first random numbers.

    `embed` is the word for what is dropped behind the embedding.
    """
    rates = {
        "residual": config.number("hidden_dropout", 0.0),
        "attention": config.number("attention_dropout", 0.0),
        "hidden": config.number("activation_dropout", 0.0),
        "embed": config.number(embed, 0.0),
    }
    return defaults(config, norm, rates, at=at, bias=bias)


def defaults(
    config: Config, norm: Written, rates: Mapping[str, float], *, at: str, bias: bool
) -> Written:
    """`defaults:` with a rate of dropout for each place that has one."""
    width = config.number("initializer_range", 0.0)
    return said(
        norm=norm,
        norm_at=at,
        bias=bias or None,
        dropout={place: rate for place, rate in rates.items() if rate} or None,
        init={"normal": width} if width else None,
    )


def rms(config: Config) -> Written:
    """The norm of Llama and most after it, which multiplies in the type of its input."""
    return {"rms": {"eps": config.number("norm_eps"), "multiply": "after_cast"}}


def layer_norm(config: Config) -> Written:
    """The norm of GPT-2 and most of its time."""
    return {"layer": config.number("norm_eps")}


def mlp(config: Config, *, gated: bool = False, bias: bool | None = None) -> Written:
    """The feed-forward network; `bias` is said where it is not that of `defaults:`."""
    act = config.activation()
    return {"mlp": said(hidden="d_ff", act=act, gated=gated or None, bias=bias)}


def parallel(attention: Written, mlp: Written, norm: Written | None = None) -> Written:
    """A layer of one residual step around both mixers; `norm` gives each of them its own."""
    if norm is None:
        return {"block": {"parallel": {"attn": attention, "mlp": mlp}}}
    mixers = {"attn": {**attention, "norm": norm}, "mlp": {**mlp, "norm": norm}}
    return {"block": {"norm_at": "none", "parallel": mixers}}


def head(
    config: Config, *, table: str, name: str = "lm_head.weight", bias: bool = False
) -> Written | None:
    """`unembed:` of a language model, None for a model without; `table` and `name` are tensors.

    The config says whether the head is the embedding's table; a checkpoint beside it knows better.
    """
    config.ignore("tie_word_embeddings")
    architecture = architecture_of(config)
    if architecture.endswith("Model") and not architecture.endswith(HEADS):
        return None
    if architecture and not architecture.endswith(HEADS):
        refuse_class(config, "only language models and bare models are imported")
    ties = tied(config, table, name)
    return said(tie="tok" if ties else None, vocab=None if ties else "vocab", bias=bias or None)


def architecture_of(config: Config) -> str:
    """The class that was saved, or nothing."""
    listed = config.get("architectures")
    return str(listed[0]) if isinstance(listed, list) and listed else ""


def only_bare(config: Config, why: str) -> None:
    """Refuse a class that is not a family's bare model."""
    architecture = architecture_of(config)
    if architecture and not architecture.endswith("Model"):
        refuse_class(config, why)


def refuse_class(config: Config, why: str) -> None:
    """Refuse the class that was saved."""
    config.refuse("architectures", f"`{architecture_of(config)}` is not known here", why)


def tied(config: Config, table: str, name: str) -> bool:
    """Whether a head is the embedding's table, warning where config and tensors disagree."""
    said_tied, found = config.flag("tie_word_embeddings"), config.tensors.tied(table, name)
    if said_tied and found is False:
        config.warn("AR0725", "the head is not tied", "tie_word_embeddings", "the weights differ")
        return False
    if not said_tied and found and config.tensors.find(name) is None:
        config.warn("AR0725", "the head is tied", "tie_word_embeddings", "the weights hold none")
        return True
    return said_tied


def decoder(
    config: Config,
    dims: Written,
    *,
    defaults: Written,
    layers: Sequence[Written],
    embed: Written | None = None,
    final: Written | None = None,
    head: Written | None = None,
    nodes: Written | None = None,
) -> Written:
    """The spec of a decoder: embedding, layers, the last norm and, for a language model, logits.

    `embed` is what its table has besides rows and width, `nodes` what stands between it and the
    layers; `final` None means no last norm. A learned table of positions is `max_len` long, which
    is then the context length.
    """
    longest = None if "max_len" in dims else config.whole("max_position_embeddings")
    table = {"vocab": "vocab", "dim": "d_model", **(embed or {})}
    graph: Written = {
        "tok": {"embed": table, "in": "ids"},
        **(nodes or {}),
        "h": {"stack": stack(layers, "n_layers")},
    }
    if final is not None:
        graph["final"] = {"norm": final}
    if head is not None:
        graph["logits"] = {"unembed": head}
    return {
        "dims": dims,
        "inputs": {"ids": {"tokens": said(max=longest, padded=True)}},
        "defaults": defaults,
        "graph": graph,
    }
