"""A name is an identifier that hides nothing of torch.nn.Module."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archspec.source.fault import Fault
from archspec.source.names import TAKEN, check_name, check_size_name


@given(st.text(max_size=70))
def test_what_passes_is_an_ascii_identifier(name: str) -> None:
    try:
        check_name(name, "a node")
    except Fault as fault:
        assert fault.code == "AR0404"
        return
    assert name.isidentifier()
    assert name.isascii()


def test_attributes_of_a_module_are_taken() -> None:
    torch = pytest.importorskip("torch")
    public = {name for name in dir(torch.nn.Module) if name[0].isalpha() and name.islower()}
    # What transformers puts there once it is imported is none of torch's.
    own = {name for name in public if from_torch(getattr(torch.nn.Module, name))}
    assert own - TAKEN <= {"dump_patches"}


def from_torch(attribute: object) -> bool:
    """Whether an attribute of a class is torch's own, as far as it says."""
    return (getattr(attribute, "__module__", None) or "torch").partition(".")[0] == "torch"


def test_a_size_is_no_function() -> None:
    check_size_name("type")
    with pytest.raises(Fault):
        check_size_name("sqrt")
