from compiler.importers.fold import fold, listed


def test_names_that_differ_in_their_first_index_are_one() -> None:
    names = [f"h.{n}.attn.{part}.weight" for n in range(12) for part in "qk"]
    assert fold(names) == ["h.{0..11}.attn.k.weight", "h.{0..11}.attn.q.weight"]


def test_layers_and_experts_are_one() -> None:
    names = [f"h.{n}.experts.{j}.up" for n in range(3) for j in range(4)]
    assert fold(names) == ["h.{0..2}.experts.{0..3}.up"]
    assert fold(names[:3]) == ["h.0.experts.{0..2}.up"]


def test_nothing_is_folded_that_was_not_there() -> None:
    names = ["h.0.experts.0.up", "h.1.experts.1.up"]
    assert fold(names) == names


def test_gaps_are_said() -> None:
    assert fold(["h.10.w", "h.0.w", "h.1.w", "h.3.w"]) == ["h.{0..1,3,10}.w"]


def test_names_without_a_partner_stay() -> None:
    assert fold(["b", "h.7.w", "h.01.w", "conv2.w", "a"]) == [
        "a",
        "b",
        "conv2.w",
        "h.01.w",
        "h.7.w",
    ]


def test_listed_is_for_reading() -> None:
    assert listed(["h.0.w", "h.1.w", "x\x1b[2J"]) == "`h.{0..1}.w`, `x\\x1b[2J`"
