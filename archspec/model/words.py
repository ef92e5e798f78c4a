"""The keys that the levels of the grammar know, besides components' own."""

TOP_KEYS = (
    "archspec",
    "name",
    "about",
    "extends",
    "set",
    "dims",
    "inputs",
    "defaults",
    "blocks",
    "graph",
    "outputs",
    "budget",
    "weights",
)
DEFAULTS_KEYS = ("norm", "norm_at", "bias", "dropout", "init")
NODE_KEYS = ("in", "after")
STACK_KEYS = ("repeat", "layer", "cycle", "at", "share")
SUBLAYER_KEYS = (
    "norm",
    "norm_at",
    "branch_scale",
    "skip_scale",
    "layerscale",
    "drop_path",
    "dropout",
    "init",
    "parallel",
    "after",
)
INPUT_KEYS = ("shape", "max", "padded", "segments")
