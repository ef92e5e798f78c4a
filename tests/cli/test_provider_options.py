"""Options of a provider: each a name and a value, once."""

import pytest

from compiler.answer import CannotAnswer
from compiler.cli.provider_options import parse_options


@pytest.mark.parametrize("said", ["gpu_mem_limit", "=1", "gpu_mem_limit="])
def test_an_option_has_a_name_and_a_value(said: str) -> None:
    with pytest.raises(CannotAnswer, match="is no option"):
        parse_options([said])


def test_an_option_is_said_once() -> None:
    assert parse_options(["a=1", "b=x=y"]) == {"a": "1", "b": "x=y"}
    with pytest.raises(CannotAnswer, match="given twice"):
        parse_options(["a=1", "a=2"])
