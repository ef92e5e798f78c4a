"""Mixtures of experts out of a config: how many, how wide, and which layers have them."""

from collections.abc import Callable, Sequence

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import sizes
from compiler.importers.config.written import Written, said


def mixture_sizes(config: Config, *, hidden: str = "") -> Written:
    """`dims:` of a decoder with mixtures.

    `hidden` is the word for the width of an expert where `intermediate_size` is that of the dense
    layers; without it experts are `d_ff` wide.
    """
    dims = sizes(config)
    dims["n_experts"] = config.whole("num_local_experts")
    dims["top_k"] = config.whole("num_experts_per_tok")
    if hidden:
        dims["d_expert"] = config.whole(hidden)
    return dims


def moe(
    config: Config,
    dims: Written,
    *,
    router: Written,
    sparse: Sequence[bool],
    expert: Written | None = None,
    shared: Written | None = None,
) -> Written:
    """A mixture of gated experts by the names of `dims`; `sparse` says which layers have one.

    transformers adds a loss that balances the experts only where routers are asked for their
    logits; it is a mean over layers, and its parts of the choices add up to the experts of a token.
    """
    config.only("router_jitter_noise", 0.0, "its noise reaches the experts, which no spec can say")
    network = {"act": config.activation(), "gated": True}
    hidden = "d_expert" if "d_expert" in dims else "d_ff"
    return {
        "moe": said(
            experts="n_experts",
            top_k="top_k",
            expert={"hidden": hidden, **network, **(expert or {})},
            shared=None if shared is None else {"hidden": shared["hidden"], **network, **shared},
            router={**router, **_losses(config, dims, sum(sparse))} or None,
        )
    }


def _losses(config: Config, dims: Written, mixtures: int) -> Written:
    weight = config.number("router_aux_loss_coef", 0.0)
    if not config.flag("output_router_logits") or not weight or not mixtures:
        return {}
    return {"aux_loss": {"balance": weight * dims["top_k"] / mixtures}}


def listed(config: Config, word: str, otherwise: Callable[[int], bool]) -> list[bool]:
    """For each layer whether it is in the list under a word, or what `otherwise` says of it."""
    count, found = config.whole("num_hidden_layers"), config.get(word)
    if found is None:
        return [otherwise(index) for index in range(count)]
    if not isinstance(found, list) or not all(isinstance(each, int) for each in found):
        config.refuse(word, "must be a list of layers")
        return [True] * count
    return [index in found for index in range(count)]
