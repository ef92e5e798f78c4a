import pytest

from compiler.verify.laws import causality, padding
from compiler.verify.module import build
from tests.verify.changed import mistaken
from tests.verify.models import Mapping, decoder, encoder, made, points


def test_a_decoder_does_not_look_ahead() -> None:
    found = made(decoder())
    check = causality(found, build(found.generated))
    assert (check.ok, check.measured) == (True, 0.0)


def test_looking_ahead_is_found() -> None:
    found = made(decoder())
    check = causality(found, mistaken(found, "is_causal=seen_TS is None", "is_causal=False"))
    assert check.ok is False


def test_looking_ahead_by_one_is_found() -> None:
    """A mask that is off by one, as hand-written ones are."""
    found = made(decoder())
    said = "attn_mask=seen_TS, is_causal=seen_TS is None"
    off = "attn_mask=torch.ones(T, T, dtype=torch.bool).tril(1)"
    assert causality(found, mistaken(found, said, off)).ok is False


def test_an_encoder_may_look_ahead() -> None:
    found = made(encoder())
    assert causality(found, build(found.generated)).ok is None


@pytest.mark.parametrize("spec", [encoder(), encoder(positions={"learned": 40})])
def test_padding_does_not_matter(spec: Mapping) -> None:
    found = made(spec)
    assert padding(found, build(found.generated)).ok


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("attn_mask=seen_B11T", "attn_mask=None"),
        ("masked_mean(x_BTD, ids_mask_BT)", "x_BTD.mean(dim=1)"),
        ("* real_BT[..., None]", "* 1.0"),
    ],
)
def test_padding_that_matters_is_found(said: str, instead: str) -> None:
    found = made(encoder())
    assert padding(found, mistaken(found, said, instead)).ok is False


def test_padding_is_no_law_where_the_length_of_a_call_counts() -> None:
    scaling = {"dynamic": {"factor": 4, "original": 5}}
    source = encoder()
    attention = source["graph"]["h"]["stack"]["layer"]["attn"]["attention"]
    attention["rope"] = {"scaling": scaling}
    found = made(source)
    assert padding(found, build(found.generated)).ok is None
    scaling["dynamic"]["original"] = 50
    found = made(source)
    assert padding(found, build(found.generated)).ok


def test_no_padding_is_no_law() -> None:
    found = made(points())
    assert padding(found, build(found.generated)).ok is None
