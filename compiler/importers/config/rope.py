"""Rotary positions out of both dialects of config.json, as `rope:` says them."""

from collections.abc import Callable, Mapping

from compiler.importers.config.config import Config
from compiler.importers.config.written import Written, said

BASE = 10000.0


def rope(
    config: Config, layer_type: str = "", *, pairs: str = "halves", dim: int | None = None
) -> Written | None:
    """`rope:` of a model, or of its layers of one type; None where nothing turns.

    Since transformers 5 all is in `rope_parameters`, once or for each layer type; before, the base
    and the share that turns were keys of their own and only the scaling was a mapping. `dim` is the
    number of coordinates that turn where the family gives it instead of a share.
    """
    parameters = config.nested("rope_parameters")
    if layer_type in parameters:
        parameters = parameters.nested(layer_type)
    scaling = parameters if parameters.said else config.nested("rope_scaling")
    theta = parameters.number("rope_theta", config.number("rope_theta", BASE))
    otherwise = config.number("partial_rotary_factor", 1.0)
    fraction = parameters.number("partial_rotary_factor", otherwise)
    if not fraction:
        return None
    return said(
        theta=theta,
        fraction=fraction if fraction != 1 and dim is None else None,
        dim=dim,
        pairs=pairs if pairs != "halves" else None,
        scaling=_scaling(scaling, config),
    )


def _scaling(found: Config, config: Config) -> Written | None:
    kind = found.get("rope_type") or found.get("type") or "default"
    found.ignore("rope_type", "type")
    if kind == "default":
        return None
    read = SCALINGS.get(kind)
    if read is None:
        found.refuse("rope_type" if "rope_type" in found else "type", f"`{kind}` is not known here")
        return None
    return {kind: read(found, config)}


def _linear(found: Config, config: Config) -> Written:
    return {"factor": found.number("factor")}


def _dynamic(found: Config, config: Config) -> Written:
    return {"factor": found.number("factor"), "original": _original(found, config)}


def _llama3(found: Config, config: Config) -> Written:
    return {
        "factor": found.number("factor"),
        "low_freq_factor": found.number("low_freq_factor"),
        "high_freq_factor": found.number("high_freq_factor"),
        "original": _original(found, config),
    }


def _original(found: Config, config: Config) -> int:
    """The context length before it was stretched."""
    if "original_max_position_embeddings" in found:
        return found.whole("original_max_position_embeddings")
    return config.whole("max_position_embeddings")


SCALINGS: Mapping[str, Callable[[Config, Config], Written]] = {
    "linear": _linear,
    "dynamic": _dynamic,
    "llama3": _llama3,
}
"""What a kind of scaling says, by the name that both dialects have for it."""
