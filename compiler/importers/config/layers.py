"""What kind every layer is of, listed in a config or by a family's own rule."""

from collections.abc import Callable

from compiler.importers.config.config import Config

FULL, SLIDING = "full_attention", "sliding_attention"


def layer_types(
    config: Config, slides: Callable[[int], bool], known: tuple[str, ...] = (FULL, SLIDING)
) -> list[str]:
    """A type for each layer: what the file lists, else whether layer i `slides`."""
    count = config.whole("num_hidden_layers")
    listed = config.get("layer_types")
    if listed is None:
        return [SLIDING if slides(i) else FULL for i in range(count)]
    if not isinstance(listed, list) or len(listed) != count:
        config.refuse("layer_types", f"must be a list of {count} types, one for each layer")
        return [FULL] * count
    strange = [kind for kind in listed if not isinstance(kind, str) or kind not in known]
    if strange:
        config.refuse("layer_types", f"`{strange[0]}` is not known here")
        return [FULL] * count
    return listed


def every(config: Config, word: str) -> Callable[[int], bool]:
    """Whether a layer, counted from one, is a multiple of the number under a word."""
    step = config.whole(word)
    return lambda index: (index + 1) % step == 0


def turning(config: Config) -> list[bool]:
    """Whether each layer has rotary positions.

    `no_rope_layers` lists ones and zeros, 1 where a layer turns, whatever its name says; without
    it all turn but every `no_rope_layer_interval`-th.
    """
    count, found = config.whole("num_hidden_layers"), config.get("no_rope_layers")
    skips = every(config, "no_rope_layer_interval")
    if not found:
        return [not skips(index) for index in range(count)]
    if not isinstance(found, list) or len(found) < count or any(n not in (0, 1) for n in found):
        config.refuse("no_rope_layers", f"must be a list of {count} numbers, 1 where a layer turns")
        return [True] * count
    return [bool(each) for each in found[:count]]


def used_window(config: Config) -> int | None:
    """The window of layers that slide; None where `use_sliding_window` is off, though files then
    say a width and may list layers that would."""
    config.ignore("sliding_window")
    return config.optional("sliding_window") if config.flag("use_sliding_window") else None
