"""Asking a folder: rows go on as transformers says, pictures are told apart, vectors are saved."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from compiler.answer import CannotAnswer
from compiler.ir.target import Target
from compiler.pipeline import build
from compiler.runtime.ask import ask
from compiler.runtime.classes import Classes
from compiler.runtime.generated import Generated
from compiler.runtime.opening import open_session
from compiler.runtime.request import Request
from tests.pipeline.test_genai import NEW, PROMPT, built, published
from tests.shipped import ROOT

PROMPTS = (PROMPT, [9, 2, 44, 1, 30, 61], [12])
SMALL = ("n_layers=1", "d_model=16", "n_heads=2", "d_ff=16", "classes=6")


@pytest.mark.parametrize("target", ["portable", "cpu"])
def test_rows_go_on_as_transformers_has_them(target: Any, tmp_path: Path) -> None:
    """Of different lengths: padded in one batch where the cache counts rows, else by themselves.
    The published end stops a row and not the others."""
    import transformers

    published("llama", tmp_path / "llama")
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "llama")
    wanted = [
        model.generate(torch.tensor([ids]), max_new_tokens=NEW, do_sample=False)[0, len(ids) :]
        for ids in PROMPTS
    ]
    lists = [ids.tolist() for ids in wanted]
    stop = lists[1][3]
    folder = built(tmp_path / "llama", Target(target))
    asked = Request(ids=tuple(",".join(map(str, ids)) for ids in PROMPTS), new=NEW, stop=(stop,))
    found = ask(folder, asked).said
    assert isinstance(found, Generated)
    ends = [ids.index(stop) if stop in ids else len(ids) for ids in lists]
    assert [row.new for row in found.rows] == [
        ids[:end] for ids, end in zip(lists, ends, strict=True)
    ]
    assert [row.prompt for row in found.rows] == [tuple(ids) for ids in PROMPTS]
    assert found.rows[1].stopped and len(set(ends)) > 1


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small ViT with labels and the numbers of pictures beside it."""
    folder = tmp_path_factory.mktemp("vit")
    spec = str(ROOT / "specs" / "vision" / "vit-b16-cls.yaml")
    build(spec, set=SMALL, out=str(folder))
    (path,) = folder.glob("**/model.onnx")
    labels = {str(n): f"label {n}" for n in range(6)}
    (path.parent / "config.json").write_text(json.dumps({"id2label": labels}))
    (path.parent / "preprocessor_config.json").write_text('{"size": 224}')
    return path.parent


def picture(path: Path, seed: int) -> str:
    pixels = np.random.default_rng(seed).integers(0, 255, (40, 60, 3), np.uint8)
    Image.fromarray(pixels).save(path)
    return str(path)


def test_pictures_have_their_likeliest_classes(classifier: Path, tmp_path: Path) -> None:
    pictures = tuple(picture(tmp_path / name, n) for n, name in enumerate(("0.png", "1.jpg")))
    found = ask(classifier, Request(things=pictures), top=3).said
    assert isinstance(found, Classes)
    rows = found.document()["rows"]
    assert [row["given"] for row in rows] == list(pictures)
    session = open_session(classifier, device="cpu")
    for row, path in zip(rows, pictures, strict=True):
        resized = Image.open(path).resize((224, 224), resample=Image.Resampling.BILINEAR)
        pixels = ((np.asarray(resized, "f4") / 255 - 0.5) / 0.5).transpose(2, 0, 1)[None]
        chances = torch.from_numpy(session.run({"pixels": pixels})["logits"]).softmax(-1)
        values, numbers = chances[0].topk(3)
        assert [each["class"] for each in row["classes"]] == numbers.tolist()
        assert [each["label"] for each in row["classes"]] == [f"label {n}" for n in numbers]
        shares = [each["chance"] for each in row["classes"]]
        np.testing.assert_allclose(shares, values.numpy(), atol=1e-6)
    first = f"{shares[0]:.4f}  {numbers[0]:>4}  label {numbers[0]}"
    assert f"{pictures[1]}\n{first}\n" in found.text()


def test_an_array_is_what_the_picture_is(classifier: Path, tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).normal(size=(3, 224, 224)).astype("f4")
    np.save(tmp_path / "row.npy", pixels)
    np.save(tmp_path / "batch.npy", pixels[None])
    texts = [
        ask(classifier, Request(things=(str(tmp_path / f"{name}.npy"),))).said.text()
        for name in ("row", "batch")
    ]
    assert texts[0] == texts[1]
    assert len(texts[0].splitlines()) == 5


def test_scores_that_are_no_numbers_are_refused(classifier: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "row.npy", np.full((3, 224, 224), np.nan, "f4"))
    with pytest.raises(CannotAnswer, match="not finite"):
        ask(classifier, Request(things=(str(tmp_path / "row.npy"),)))


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        ("a.wav", "the model has none: it takes `pixels`"),
        ("words", "the model sees pictures and is given words: it takes `pixels`"),
        ("text.npy", "no .npy file of an array"),
    ],
)
def test_what_a_model_takes_nothing_of_is_refused(
    thing: str, said: str, classifier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.wav", "text.npy"):
        Path(name).write_text("nothing")
    with pytest.raises(CannotAnswer, match=said.replace(".", r"\.")):
        ask(classifier, Request(things=(thing,)))
