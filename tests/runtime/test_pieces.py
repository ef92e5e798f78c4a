"""Words as they come: together what the tokenizer makes of all ids, no letter cut in two."""

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from compiler.runtime.pieces import Pieces

TEXT = "naïve — 好的 👍🏽!"


def letters() -> Tokenizer:
    """Every byte an id, as in the tokenizers of GPT-2's kind."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    found = Tokenizer(models.BPE({each: n for n, each in enumerate(alphabet)}, []))
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    found.decoder = decoders.ByteLevel()
    return found


def test_letters_of_several_ids_come_whole() -> None:
    tokenizer, told = letters(), list[str]()
    ids = tokenizer.encode(TEXT).ids
    pieces = Pieces(tokenizer, told.append)
    for each in ids:
        pieces(each)
    pieces.end()
    assert "".join(told) == TEXT == tokenizer.decode(ids)
    assert len(ids) > len(told) > 10
    assert not any("\ufffd" in piece for piece in told)


def test_a_letter_that_never_ends_is_told_at_the_end() -> None:
    tokenizer, told = letters(), list[str]()
    ids = tokenizer.encode("a好").ids[:-1]
    pieces = Pieces(tokenizer, told.append)
    for each in ids:
        pieces(each)
    assert told == ["a"]
    pieces.end()
    assert "".join(told) == tokenizer.decode(ids)


def test_without_a_tokenizer_ids_are_told() -> None:
    told = list[str]()
    pieces = Pieces(None, told.append)
    for each in (3, 14):
        pieces(each)
    pieces.end()
    assert "".join(told) == "3 14"


def test_words_that_change_with_a_later_id_are_told_anew() -> None:
    """`DecodeStream` gives up where a decoder writes its beginning anew."""
    tokenizer, told = Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2}, "a")), list[str]()
    tokenizer.decoder = decoders.Sequence([decoders.Fuse(), decoders.Replace("ab", "x")])
    pieces = Pieces(tokenizer, told.append)
    for each in (0, 1, 2):
        pieces(each)
    pieces.end()
    assert told == ["a", "\nxc"]
