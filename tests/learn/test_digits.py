"""A generated ViT learns handwritten digits."""

import pytest

from tests.learn.digits import images, learn
from tests.learn.sizes import SMALL, Digits


@pytest.mark.slow
def test_it_reads_digits_it_never_saw() -> None:
    lesson = SMALL["digits"]
    assert isinstance(lesson, Digits)
    assert learn(lesson.epochs) > 0.97


def test_no_image_is_both_learned_and_judged() -> None:
    x, y, held_x, held_y = images()
    assert (len(y), len(held_y)) == (1438, 359)
    assert x.shape[1:] == held_x.shape[1:] == (1, 8, 8)
    seen = {tuple(image.flatten().tolist()) for image in x}
    assert not seen & {tuple(image.flatten().tolist()) for image in held_x}
