"""What is left out of a page is what a parser puts back by itself."""

from html.parser import HTMLParser

import pytest

from compiler.report.page.tight import tight_page, tight_script

WHOLE = """<!DOCTYPE html><table class="a b"><thead><tr><th scope="col">x</th></tr></thead>
<tbody><tr><td id="n-1.5%" title="a &gt; b" data-x="">1</td><td>2 <b>3</b></td>
</tr></tbody></table>
<ul><li>one</li>
<li>two</li></ul><select><option value="0" selected>a</option><option>b</option></select>
<svg viewBox="0 0 8 8"><path d="M0"/><rect x="1" y="2.5"/></svg><p>a="b" c</p>
<pre>x="y"  </pre>"""


class Told(HTMLParser):
    """Beginnings of elements with their attributes, and words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[object] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.found.append(data.rstrip("\n"))


def test_elements_and_words_stay() -> None:
    tight = tight_page(WHOLE)
    assert len(tight) < len(WHOLE) - 80
    assert Told(tight).found == Told(WHOLE).found


@pytest.mark.parametrize(
    ("said", "short"),
    [
        ('<a b="c">', "<a b=c>"),
        ('<path d="M0"/>', "<path d=M0 />"),
        ('<a b="c/d">', "<a b=c/d>"),
        ('<a b="">', '<a b="">'),
        ('<a b="c d" e="f=g" h="i\'j">', '<a b="c d" e="f=g" h="i\'j">'),
        ('<a b="&lt;">', '<a b="&lt;">'),
        ("<td>1</td> <p>", "<td>1</td> <p>"),
        ("<li>1</li>\n<li>2</li></ul>", "<li>1<li>2</ul>"),
    ],
)
def test_quotes_and_ends(said: str, short: str) -> None:
    assert tight_page(said) == short


def test_scripts_are_left_alone() -> None:
    script = '<script id="a">x = "<td></td><td>" + y="z"</script><p id="b">'
    assert tight_page(f'<p id="b">{script}') == f"<p id=b>{script}"


def test_a_script_loses_its_margins() -> None:
    assert tight_script("  a();\n\n  // why\n    b(); // c\n") == "a();\nb(); // c"
