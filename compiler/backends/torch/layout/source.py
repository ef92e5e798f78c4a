"""The tokens of one logical line, for what its syntax tree forgets: parentheses and commas."""

import ast
import io
import keyword
import tokenize
from dataclasses import dataclass
from itertools import pairwise

OPEN, CLOSE = "([{", ")]}"


@dataclass(frozen=True)
class Source:
    """One logical line of ASCII and its tokens, without its comment."""

    line: str
    comment: str
    tokens: tuple[tokenize.TokenInfo, ...]
    starts: dict[int, int]
    ends: dict[int, int]
    partners: dict[int, int]

    @classmethod
    def read(cls, line: str) -> "Source":
        """Raises ValueError for a line that is not one whole logical line of ASCII."""
        check_line(line)
        skipped = (tokenize.NEWLINE, tokenize.NL, tokenize.ENDMARKER, tokenize.INDENT)
        try:
            found = list(tokenize.generate_tokens(io.StringIO(line).readline))
        except (tokenize.TokenError, SyntaxError) as error:
            raise ValueError(f"not a whole statement: {line!r}") from error
        if _strings_in_a_row(found):
            raise ValueError(f"two strings in a row: {line!r}")
        comment = next((token for token in found if token.type == tokenize.COMMENT), None)
        tokens = tuple(t for t in found if t.type not in (*skipped, tokenize.COMMENT) and t.string)
        return cls(
            line[: comment.start[1]].rstrip() if comment else line.rstrip(),
            comment.string if comment else "",
            tokens,
            {token.start[1]: index for index, token in enumerate(tokens)},
            {token.end[1]: index for index, token in enumerate(tokens)},
            _partners(tokens),
        )

    def text(self, node: ast.expr) -> str:
        """`node` as it is spelt."""
        return self.line[node.col_offset : node.end_col_offset]

    def parenthesized(self, node: ast.expr) -> bool:
        """Whether parentheses that belong to nothing else stand around `node`."""
        before = self.starts[node.col_offset] - 1
        after = self.ends[end_column(node)] + 1
        return before >= 0 and self.partners.get(before) == after and self._groups(before)

    def own_parentheses(self, node: ast.Tuple | ast.GeneratorExp) -> bool:
        """Whether `node` has its parentheses itself; a call's only generator borrows them."""
        first, last = self.starts[node.col_offset], self.ends[end_column(node)]
        return self.partners.get(first) == last and self._groups(first)

    def comma_before(self, column: int) -> bool:
        """Whether the token before the bracket that ends at `column` is a comma."""
        return self.tokens[self.ends[column] - 1].string == ","

    def comma_ends(self, node: ast.expr) -> bool:
        """Whether a comma is the last token of `node` or follows it."""
        last = self.ends[end_column(node)]
        return any(token.string == "," for token in self.tokens[last : last + 2])

    def second_colon(self, node: ast.Slice) -> bool:
        """Whether a slice is written with two colons."""
        if node.step is not None:
            return True
        last = self.ends[end_column(node)]
        colons = [token.string == ":" for token in self.tokens[last - 1 : last + 1]]
        return colons[1] and (colons[0] or node.upper is not None)

    def _groups(self, index: int) -> bool:
        """Whether the bracket at `index` is a parenthesis that calls nothing."""
        if self.tokens[index].string != "(":
            return False
        if index == 0:
            return True
        previous = self.tokens[index - 1]
        if previous.type == tokenize.NAME:
            return keyword.iskeyword(previous.string)
        return previous.type != tokenize.STRING and previous.string not in CLOSE


def check_line(line: str) -> None:
    """Raises ValueError for what is not ASCII or could end a line where nobody sees it."""
    if not (line.isascii() and line.isprintable()):
        raise ValueError(f"not one line of printable ASCII: {line!r}")


def end_column(node: ast.expr) -> int:
    """The column after the last of `node`."""
    assert node.end_col_offset is not None
    return node.end_col_offset


def _strings_in_a_row(tokens: list[tokenize.TokenInfo]) -> bool:
    """Whether two literals stand side by side, to be joined by the interpreter."""
    starts = (tokenize.STRING, getattr(tokenize, "FSTRING_START", None))
    ends = (tokenize.STRING, getattr(tokenize, "FSTRING_END", None))
    return any(left.type in ends and right.type in starts for left, right in pairwise(tokens))


def _partners(tokens: tuple[tokenize.TokenInfo, ...]) -> dict[int, int]:
    partners: dict[int, int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.type != tokenize.OP:
            continue
        if token.string in OPEN:
            stack.append(index)
        elif token.string in CLOSE and stack:
            partners[stack.pop()] = index
    return partners
