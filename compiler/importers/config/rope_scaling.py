"""What stretches rotary positions, out of a config: the kinds that transformers has."""

from collections.abc import Callable, Mapping

from archspec.source.suggest import listed
from compiler.importers.config.config import Config
from compiler.importers.config.written import Written, said

ORIGINAL = "original_max_position_embeddings"


def rope_scaling(found: Config, config: Config) -> Written | None:
    """`scaling:` of the parameters `found` in `config`; None where nothing is stretched."""
    kind = found.get("rope_type") or found.get("type") or "default"
    found.ignore("rope_type", "type", ORIGINAL)
    config.ignore(ORIGINAL)
    if kind == "default":
        return None
    read = KINDS.get(str(kind))
    if read is None:
        word = "rope_type" if "rope_type" in found else "type"
        there = f"there are {listed(KINDS, 'and')}"
        found.refuse(word, f"`{kind}` is not known here", there)
        found.ignore(*found.said)  # they are settings of that kind
        return None
    return {OURS.get(kind, kind): read(found, config)}


def original(found: Config, config: Config) -> int:
    """The context length before it was stretched; the config's own word for it goes first."""
    for place in (config, found):
        if ORIGINAL in place:
            return place.whole(ORIGINAL)
    return config.whole("max_position_embeddings")


def _linear(found: Config, config: Config) -> Written:
    return {"factor": found.number("factor")}


def _dynamic(found: Config, config: Config) -> Written:
    return {"factor": found.number("factor"), "original": config.whole("max_position_embeddings")}


def _llama3(found: Config, config: Config) -> Written:
    return {
        "factor": found.number("factor"),
        "original": original(found, config),
        "low_freq_factor": found.number("low_freq_factor"),
        "high_freq_factor": found.number("high_freq_factor"),
    }


def _yarn(found: Config, config: Config) -> Written:
    before = original(found, config)
    weights = [found.get(word) or None for word in ("mscale", "mscale_all_dim")]
    attention = found.get("attention_factor")
    quotient = attention is None and all(weights)
    return said(
        factor=_factor(found, config, before),
        original=before,
        beta_fast=found.get("beta_fast") or None,
        beta_slow=found.get("beta_slow") or None,
        truncate=None if found.flag("truncate", True) else False,
        attention_factor=attention,
        mscale=weights[0] if quotient else None,
        mscale_all_dim=weights[1] if quotient else None,
    )


def _longrope(found: Config, config: Config) -> Written:
    before, attention = original(found, config), found.get("attention_factor")
    return said(
        original=before,
        factor=_factor(found, config, before) if attention is None else None,
        attention_factor=attention,
        short_factor=found.get("short_factor"),
        long_factor=found.get("long_factor"),
    )


def _proportional(found: Config, config: Config) -> Written:
    return said(factor=found.get("factor"))


def _factor(found: Config, config: Config, before: int) -> float:
    """How much longer contexts are, said or by both lengths."""
    return found.number("factor", config.whole("max_position_embeddings") / before)


KINDS: Mapping[str, Callable[[Config, Config], Written]] = {
    "linear": _linear,
    "dynamic": _dynamic,
    "llama3": _llama3,
    "yarn": _yarn,
    "longrope": _longrope,
    "su": _longrope,
    "proportional": _proportional,
}
"""What a kind of scaling says, by the name that configs have for it."""

OURS: Mapping[str, str] = {"su": "longrope"}
"""Kinds that were renamed after their first publication."""
