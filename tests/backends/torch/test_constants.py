"""The numbers at the top of a generated file: those that are used, derived as the spec says."""

import re
from typing import Any

import pytest

from compiler.backends.torch.constants import Constants
from compiler.ir.letters import Letters
from compiler.ir.size import Size
from tests.backends.torch.live import live
from tests.lower.specs import decoder, with_attention


def constants() -> Constants:
    key = Letters(dims={"d_model": "", "d_ff": "4*d_model"})
    key.free("batch")
    key.fixed("width", 64, "d_model")
    key.fixed("hidden", 256, "d_ff")
    key.fixed("heads", 8)
    key.fixed("head_dim", 8)
    key.fixed("vocabulary", 50_000)
    return Constants(key)


def test_a_size_is_written_in_letters() -> None:
    found = constants()
    key = found.key
    D, M = key.fixed("width", 64), key.fixed("hidden", 256)
    H, K = key.fixed("heads", 8), key.fixed("head_dim", 8)
    sizes: list[Size] = [D, 2 * M, 3 * H * K, (H + 2 * K) * D, 7, M + D]
    assert [found.size(size) for size in sizes] == [
        "D",
        "2 * M",
        "3 * H * K",
        "(H + 2 * K) * D",
        "7",
        "D + M",
    ]


def test_only_what_was_asked_for_is_printed() -> None:
    found = constants()
    assert found.lines() == []
    found.size(found.key.fixed("vocabulary", 50_000))
    assert found.lines() == ["V = 50_000"]


def test_what_the_spec_derives_is_derived_and_brings_what_it_needs() -> None:
    found = constants()
    found.size(found.key.fixed("hidden", 256))
    found.size(found.key.fixed("head_dim", 8))
    assert found.lines() == ["D, H = 64, 8", "M = 4 * D", "K = D // H"]


def test_a_setting_keeps_the_first_number_of_its_name() -> None:
    found = constants()
    assert found.setting("EPS", 1e-5) == "EPS"
    assert found.setting("EPS", 1e-5) == "EPS"
    assert found.setting("EPS", 1e-6) == "1e-6"
    assert found.lines() == ["EPS = 1e-5"]


EXPRESSIONS = {
    "4*d_model": 64,
    "d_model": 16,
    "round_up(8*d_model/3, 8)": 48,
    "d_model + d_model/2": 24,
    "2**4 + 4": 20,
}


@pytest.mark.parametrize("said", EXPRESSIONS)
def test_the_constants_of_a_file_have_the_sizes_of_the_key(said: str) -> None:
    spec: dict[str, Any] = decoder() | {"dims": {"d_model": 16, "d_ff": said}}
    spec["graph"]["tok"]["embed"]["dim"] = "d_model"
    body = spec["graph"]["h"]["stack"]["layer"]
    body["mlp"] = {"mlp": {"hidden": "d_ff", "act": "relu"}}
    found = live(spec)
    module = type(found.model).forward.__globals__
    sizes = found.plain.key.sizes
    letters = {name: module[name] for name in sizes if name in module}
    assert letters == {name: sizes[name] for name in letters}
    assert {"D", "M", "V"} <= set(letters)
    assert sizes["M"] == EXPRESSIONS[said]


def test_every_constant_is_used() -> None:
    for spec in (decoder(), with_attention(kv_heads=2, rope={"theta": 100}), with_attention()):
        text = live(spec).generated.text
        for names in re.findall(r"^([A-Z_]+(?:, [A-Z_]+)*) = ", text, re.MULTILINE):
            for name in names.split(", "):
                assert len(re.findall(rf"\b{name}\b", text)) > 1, name
