from compiler.importers.prefix import read_names

KNOWN = {"tok.weight", "h.0.q.weight", "h.1.q.weight", "logits.weight"}


def read(keys: list[str], known: set[str] = KNOWN, heads: tuple[str, ...] = ()) -> list[str]:
    return list(read_names(keys, known.__contains__, heads).values())


def test_known_keys_stay() -> None:
    assert read(sorted(KNOWN)) == sorted(KNOWN)


def test_a_prefix_of_all_or_of_some_is_stripped() -> None:
    assert read(["m.tok.weight", "m.h.0.q.weight"]) == ["tok.weight", "h.0.q.weight"]
    assert read(["m.tok.weight", "logits.weight"]) == ["tok.weight", "logits.weight"]


def test_two_wrappers_are_stripped() -> None:
    keys = ["module._orig_mod.tok.weight", "module._orig_mod.h.0.q.weight"]
    assert read(keys) == ["tok.weight", "h.0.q.weight"]


def test_a_head_is_added() -> None:
    known = {"model.tok.weight", "model.h.0.q.weight", "lm_head.weight"}
    keys = ["tok.weight", "h.0.q.weight", "lm_head.weight"]
    assert read(keys, known, ("model",)) == [
        "model.tok.weight",
        "model.h.0.q.weight",
        "lm_head.weight",
    ]


def test_keys_that_no_reading_knows_keep_their_names() -> None:
    assert read(["m.tok.weight", "m.other"]) == ["tok.weight", "m.other"]
    assert read(["x", "y.z"]) == ["x", "y.z"]
