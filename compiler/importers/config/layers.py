"""The type of every layer, listed in a config or by a family's own rule."""

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
