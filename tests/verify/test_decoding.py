import pytest

from compiler.verify.decoding import decoding, grows
from compiler.verify.module import build
from tests.verify.changed import mistaken
from tests.verify.models import decoder, encoder, made

LEARNED = decoder(positions={"learned": 40})


@pytest.mark.parametrize("spec", [decoder(), LEARNED, decoder(positions={"sinusoid": {"max": 40}})])
def test_every_way_gives_the_same(spec: dict[str, object]) -> None:
    found = made(spec)
    check = decoding(found, build(found.generated))
    assert check.ok
    assert check.measured is not None
    assert check.measured > 0
    assert grows(found) == [0]


@pytest.mark.parametrize(
    ("spec", "said", "instead"),
    [
        (decoder(), "place_T = torch.arange(pos, pos + T", "place_T = torch.arange(0, T"),
        (decoder(), ".tril(pos)", ".tril()"),
        (decoder(), "kv_2BGCK[1, :, :, pos:end] = v_BGTK", "kv_2BGCK[1, :, :, pos:end] = k_BGTK"),
        (decoder(), "kv_L2BGCK[layer]", "kv_L2BGCK[0]"),
        (LEARNED, "weight.narrow(0, pos, T)", "weight[:T]"),
    ],
)
def test_a_mistake_is_found(spec: dict[str, object], said: str, instead: str) -> None:
    found = made(spec)
    check = decoding(found, mistaken(found, said, instead))
    assert check.ok is False
    assert check.reason.startswith("in ")


def test_an_encoder_does_not_decode() -> None:
    found = made(encoder())
    assert decoding(found, build(found.generated)).ok is None
