"""Random statements of bounded size: nested calls, tuples, subscripts, operators and conditions."""

import ast

from hypothesis import strategies as st

from tests.backends.torch.ruff_judge import Case

Text = st.SearchStrategy[str]

NAMES: Text = st.sampled_from(
    ["x", "T", "pos", "self", "q_BHTK", "x_BTD", "kv_L2BGCK", "scaled_dot_product_attention"]
)
ATOMS: Text = NAMES | st.sampled_from(["1", "0.5", "14_336", "1e-5", "None", '"mean"', 'f"{x}"'])
OPERATORS: Text = st.sampled_from(
    ["+", "-", "*", "@", "/", "//", "%", "**", "&", "|", "<", "==", "in", "is not", "and", "or"]
)
COMMENTS: Text = st.sampled_from(["", "", "# spec:21 block.attn"])


def _listed(items: Text, least: int = 0, most: int = 4) -> Text:
    return st.lists(items, min_size=least, max_size=most).map(", ".join)


def _extend(inner: Text) -> Text:
    keyword = st.tuples(NAMES, inner).map("=".join)
    keywords = st.lists(keyword, max_size=2, unique_by=lambda pair: pair.split("=")[0])
    arguments = st.tuples(_listed(inner), keywords.map(", ".join)).map(_commas)
    subscripts = inner | st.tuples(ATOMS, inner).map(":".join)
    link = st.one_of(
        st.tuples(st.just("."), NAMES).map("".join),
        st.tuples(st.just("."), NAMES, st.just("("), arguments, st.just(")")).map("".join),
        arguments.map("({})".format),
        _listed(subscripts, 1, 3).map("[{}]".format),
    )
    root = NAMES | inner.map("({})".format)
    chain = st.tuples(root, st.lists(link, min_size=1, max_size=4).map("".join)).map("".join)
    operand = ATOMS | chain | inner.map("({})".format)
    more = st.lists(st.tuples(OPERATORS, operand).map(" ".join), min_size=1, max_size=4)
    return st.one_of(
        chain,
        chain,
        st.tuples(operand, more.map(" ".join)).map(" ".join),
        st.tuples(operand, operand, operand).map(lambda p: f"{p[0]} if {p[1]} else {p[2]}"),
        _listed(inner, 2).map("({})".format),
        inner.map("({},)".format),
        _listed(inner).map("[{}]".format),
        st.tuples(NAMES, inner).map(lambda p: f"{{{p[0]}: {p[1]}}}"),
        operand.map("-{}".format),
        operand.map("not {}".format),
        st.tuples(inner, operand).map(lambda p: f"[{p[0]} for i in {p[1]}]"),
        st.tuples(NAMES, inner, operand).map(lambda p: f"{p[0]}({p[1]} for i, j in {p[2]})"),
    )


def _commas(parts: tuple[str, ...]) -> str:
    return ", ".join(part for part in parts if part)


# Deferred, as the representation of what it nests would be megabytes long.
EXPRESSIONS: Text = st.deferred(lambda: st.recursive(ATOMS, _extend, max_leaves=12))
FORMS: Text = st.sampled_from(
    [
        "y = {}",
        "y_BTD, z = {}",
        "kv[:, pos] = {}",
        "y = z = {}",
        "y += {}",
        "y: Tensor = {}",
        "return {}",
        "return y, {}",
        "if {}:",
        "elif {}:",
        "while {}:",
        "for i, j in {}:",
        "def f(self, x: Tensor = {}) -> Tensor:",
        "f({})",
        "assert {}",
    ]
)


def _parses(line: str) -> bool:
    body = " pass" if line.endswith(":") else ""
    try:
        ast.parse(line.removeprefix("el") + body)
    except SyntaxError:
        return False
    return True


CASES: st.SearchStrategy[Case] = st.builds(
    Case,
    st.builds(str.format, FORMS, EXPRESSIONS).filter(_parses),
    st.integers(1, 5),
    COMMENTS,
)
