"""Rotary positions out of both dialects of config.json, as `rope:` says them."""

from compiler.importers.config.config import Config
from compiler.importers.config.rope_scaling import rope_scaling
from compiler.importers.config.written import Written, said

BASE = 10000.0


def rope(
    config: Config, layer_type: str = "", *, pairs: str = "halves", dim: int | None = None
) -> Written | None:
    """`rope:` of a model, or of its layers of one type; None where nothing turns.

    Since transformers 5 all is in `rope_parameters`, once or for each layer type; before, the base
    and the share that turns were keys of their own and only the scaling was a mapping. `dim` is the
    number of coordinates that turn where the family gives it instead of a share. Families whose
    class turns a share have one among their defaults; others turn whole heads whatever is said.
    """
    parameters = config.nested("rope_parameters")
    if layer_type in parameters:
        parameters = parameters.nested(layer_type)
    scaling = parameters if parameters.said else config.nested("rope_scaling")
    theta = parameters.number("rope_theta", config.number("rope_theta", BASE))
    otherwise = config.number("partial_rotary_factor", 1.0)
    fraction = parameters.number("partial_rotary_factor", otherwise)
    if fraction != 1 and "partial_rotary_factor" not in config.defaults:
        place = parameters if "partial_rotary_factor" in parameters else config
        place.refuse("partial_rotary_factor", "this family's class turns whole heads")
    if not fraction:
        return None
    return said(
        theta=theta,
        fraction=fraction if fraction != 1 and dim is None else None,
        dim=dim,
        pairs=pairs if pairs != "halves" else None,
        scaling=rope_scaling(scaling, config),
    )
