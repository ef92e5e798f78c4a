"""Which words may name a node, a sub-layer, an input or a size."""

import keyword
import re

from archspec.source.expression import FUNCTIONS
from archspec.source.fault import Fault

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}\Z", re.ASCII)

# A module's own attributes in torch.nn: a child of that name would hide them.
MODULE_WORDS = """
add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches
eval extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu
load_state_dict modules mtia named_buffers named_children named_modules named_parameters
parameters register_backward_hook register_buffer register_forward_hook
register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module
register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_
set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu
zero_grad
"""
TAKEN = frozenset(MODULE_WORDS.split())


def check_name(name: str, what: str) -> None:
    """Raises `Fault` (AR0404) unless `name` can be an identifier of its own in generated code."""
    if not IDENTIFIER.match(name) or name.endswith("__"):
        raise Fault(
            "AR0404",
            f"`{name}` cannot name {what}",
            "not an identifier",
            help="use letters, digits and `_`, a letter first, at most 64",
        )
    if name == "none":
        raise Fault("AR0404", f"`none` cannot name {what}", "the word for absent")
    if keyword.iskeyword(name) or name in TAKEN:
        whose = "Python" if keyword.iskeyword(name) else "torch.nn.Module"
        raise Fault("AR0404", f"`{name}` cannot name {what}", f"a word of {whose}")


def check_edge_name(name: str, what: str) -> None:
    """As `check_name`, for inputs and nodes: words that stand where edges are named are taken."""
    if name in ("self", "full", "causal"):
        raise Fault("AR0404", f"`{name}` cannot name {what}", "a word of `attention`")
    check_name(name, what)


def check_size_name(name: str) -> None:
    """As `check_name`, for an entry of `dims`: functions of expressions are taken as well."""
    if name in FUNCTIONS:
        raise Fault("AR0404", f"`{name}` cannot name a size", "a function of expressions")
    if name in TAKEN:
        return
    check_name(name, "a size")
