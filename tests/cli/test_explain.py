"""`archc explain` knows every code, word, key and operator."""

import re
from collections.abc import Iterator

import pytest

from archspec.components.component import Component
from archspec.components.keys import known
from archspec.model.catalog import COMPONENTS
from archspec.source.codes import CODES
from compiler.cli.degrees import parse_degrees
from compiler.cli.operators import operators
from compiler.cli.words import known_words
from compiler.passes.metrics import METRICS
from compiler.report.parallel.degrees import WAYS, Degrees
from tests.cli.conftest import Archc


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_has_a_page(code: str, archc: Archc) -> None:
    said = archc("explain", code)
    assert (said.code, said.err) == (0, "")
    assert code in said.out.splitlines()[0]


def test_a_code_may_be_written_shortly(archc: Archc) -> None:
    code = min(CODES)
    assert archc("explain", code.lower()).out == archc("explain", code).out
    assert archc("explain", code.removeprefix("AR")).out == archc("explain", code).out


def test_without_a_topic_all_codes_are_listed(archc: Archc) -> None:
    codes, words = archc("explain").out.split("\n\n")
    assert [line.split()[0] for line in codes.splitlines()] == sorted(CODES)
    assert {"attention", "stack", "budget"} <= set(re.findall(r"\w+", words))


@pytest.mark.parametrize("word", known_words())
def test_every_word_has_a_page_and_so_has_each_of_its_keys(word: str, archc: Archc) -> None:
    said = archc("explain", word)
    assert said.code == 0
    assert re.match(rf"`{word}`: \S", said.out)
    for key in re.findall(r"^  (\w+) +\S", said.out, re.MULTILINE):
        if key != "examples":
            page = archc("explain", f"{word}.{key}").out
            assert re.match(rf"`{word}\.{key}`: \S", page)
            assert re.search(r"^  takes     \S", page, re.MULTILINE)


@pytest.mark.parametrize("word", sorted(COMPONENTS))
def test_a_page_names_what_can_be_written_and_nothing_else(word: str, archc: Archc) -> None:
    page = archc("explain", word).out
    assert not any(re.search(rf"\b{name}\b", page) for name in COMPONENTS[word].unwritten)
    assert "None" not in page


@pytest.mark.parametrize(
    ("topic", "lines"),
    [
        ("attention.rope.theta", ["default   10000", "takes     a number or `none`"]),
        ("rope.theta", ["`attention.rope.theta`: "]),
        ("kv_heads", ["`attention.kv_heads`: ", "default   heads"]),
        ("attention.head_dim", ["default   width / heads"]),
        ("norm.eps", ["default   must be written"]),
        ("stack.repeat", ["takes     a whole number\n", "default   must be written"]),
        ("stack.cycle", ["default   none", "takes     a list of `{times: …}` or a mapping"]),
        ("stack.at", ["takes     a mapping with a mapping under each key"]),
        ("moe.router", ["takes     a mapping of the keys below or `none`", "default   {score: "]),
        ("defaults.norm", ["takes     what `norm` takes or `none`"]),
        ("graph", ["names of your own, each with what `node` takes"]),
        ("weights", ["archc import --list", "It takes text, or names of your own"]),
        ("conv_stem.convs", ["takes     a list of `{kernel: …}`", "[{kernel: 3, pad: 1"]),
        ("rope.scaling", ["yarn          Slow pairs are divided by `factor`"]),
        ("longrope.short_factor", ["`attention.rope.scaling.longrope.", "a list of numbers"]),
        ("yarn", ["`attention.rope.scaling.yarn`: Slow pairs", "beta_fast  "]),
        ("position_bias.t5", ["Raffel et al. 2020", "per            one table"]),
        ("pairs", ["`attention.rope.pairs`: "]),
        ("norm_at", ["defaults.norm_at", "sublayer.norm_at"]),
        ("mlp.act", ["`relu`", "`tanh` or `sigmoid`"]),
        ("inputs.image", ["[C, H, W]"]),
        ("budget", ["kv_bytes@{B: 8, T: 4096}"]),
    ],
)
def test_what_a_key_takes_and_what_holds_without_it(
    topic: str, lines: list[str], archc: Archc
) -> None:
    page = archc("explain", topic).out
    assert [line for line in lines if line not in page] == []


def test_any_key_of_the_language_is_found_by_its_name(archc: Archc) -> None:
    """However deep it stands; the fields of the components are the oracle."""
    for path in (*deep_keys(), "scaling.yarn", "scaling.yarn.factor", "moe.router.aux_loss.z"):
        last = path.rpartition(".")[2]
        for topic in (path, last):
            page = archc("explain", topic)
            assert page.code == 0, topic
            assert f".{last}`: " in page.out or f".{last}  " in page.out


def deep_keys() -> Iterator[str]:
    """Keys below keys, as the classes of the components have them."""
    from archspec.components.aux_loss import AuxLoss
    from archspec.components.latent import Latent
    from archspec.components.rope import Rope
    from archspec.components.router import Router
    from archspec.components.t5_bias import T5Bias

    owners: dict[str, type[Component]] = {
        "attention.rope": Rope,
        "attention.latent": Latent,
        "moe.router": Router,
        "moe.router.aux_loss": AuxLoss,
        "attention.position_bias.t5": T5Bias,
    }
    for path, kind in owners.items():
        yield from (f"{path}.{name}" for name in known(kind))


@pytest.mark.parametrize("name", METRICS)
def test_every_total_has_a_page(name: str, archc: Archc) -> None:
    page = archc("explain", name).out
    assert page.startswith(f"`{name}`: {METRICS[name].meaning}\n")
    assert f"archc cost SPEC --explain {name}" in page


@pytest.mark.parametrize("name", WAYS)
def test_every_way_of_parallelism_has_a_page_whose_example_uses_it(name: str, archc: Archc) -> None:
    page = archc("explain", name).out
    assert WAYS[name] in page
    degrees = parse_degrees(page.rpartition("--parallel ")[2].strip())
    assert getattr(degrees, name) != getattr(Degrees(), name)


@pytest.mark.parametrize("name", operators())
def test_every_operator_has_a_page(name: str, archc: Archc) -> None:
    said = archc("explain", "op", name)
    assert said.code == 0
    assert said.out.startswith(f"{name}  ")
    assert len(said.out.splitlines()) >= 3


@pytest.mark.parametrize(
    ("topic", "help"),
    [
        (["attention.kv_head"], "did you mean `kv_heads`?"),
        (["atention"], "did you mean `attention`?"),
        (["op", "linaer"], "did you mean `linear`?"),
        (["op", "rope"], "did you mean `rope_angles`?"),
        (["budget.parameters"], "`budget` has no keys of its own"),
        (["stack.repeats"], "did you mean `repeat`?"),
        (["op"], "`archc ops` lists them"),
        (["AR9999"], ""),
        (["a", "b", "c"], ""),
        (["attention.heads.x"], ""),
    ],
)
def test_an_unknown_topic_is_no_answer(topic: list[str], help: str, archc: Archc) -> None:
    said = archc("explain", *topic)
    assert (said.code, said.out) == (2, "")
    assert help in said.err


def test_a_word_of_a_later_version_is_said_to_be_one(archc: Archc) -> None:
    for topic in ("unembed.adaptive", "adaptive"):
        assert "not of this version" in archc("explain", topic).err
