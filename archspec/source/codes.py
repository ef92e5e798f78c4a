"""Every diagnostic's code and title, declared once; each has a page for `archc explain`."""

from pathlib import Path

PAGES = Path(__file__).parent / "pages"

CODES: dict[str, str] = {
    # Reading
    "AR0001": "file cannot be read",
    "AR0002": "not a text file",
    "AR0003": "not valid YAML",
    "AR0004": "empty spec",
    "AR0005": "spec too large",
    "AR0006": "nested too deeply",
    "AR0007": "too many values",
    "AR0008": "more than one document",
    "AR0009": "YAML tag",
    "AR0010": "key is not a word",
    "AR0011": "key written twice",
    "AR0012": "spec is not a mapping",
    "AR0013": "other language version",
    # Keys and types
    "AR0101": "required key is missing",
    "AR0102": "unknown key",
    "AR0103": "not in this version",
    "AR0104": "wrong kind of value",
    "AR0105": "no value",
    "AR0106": "no component, or several",
    "AR0107": "unknown component",
    "AR0108": "settings that exclude each other",
    # Values and relations
    "AR0201": "unknown word for a value",
    "AR0202": "value out of range",
    "AR0203": "not a whole number",
    "AR0204": "letters other than q, k, v, o",
    "AR0205": "bias on an absent projection",
    "AR0206": "one of several forms",
    "AR0207": "norm and its place",
    "AR0208": "shape of an input",
    "AR0209": "patches do not tile the image",
    "AR0210": "rotary width",
    "AR0211": "two sequences compared by order",
    "AR0212": "even kernel with `pad: same`",
    "AR0213": "groups do not divide the channels",
    "AR0214": "`kv_heads` must divide `heads`",
    "AR0215": "nothing where something is needed",
    # Shapes
    "AR0301": "shapes do not fit",
    "AR0302": "width is not fixed",
    "AR0303": "`heads` must divide the width",
    "AR0304": "odd width for rotary or sinusoidal positions",
    "AR0305": "too few positions",
    "AR0306": "residual step changes the width",
    "AR0307": "convolution over the wrong axes",
    "AR0308": "kernel larger than the image",
    "AR0309": "groups do not divide the incoming channels",
    "AR0390": "not compiled yet",
    # Edges and names
    "AR0401": "unknown edge",
    "AR0402": "first node has no input",
    "AR0403": "nodes wait for each other",
    "AR0404": "word cannot be a name",
    "AR0405": "name is taken",
    "AR0406": "wrong number of inputs",
    "AR0407": "edge of the wrong kind",
    "AR0408": "component in the wrong place",
    "AR0409": "output named twice",
    # Patches, blocks, extends
    "AR0501": "path leads nowhere",
    "AR0502": "unknown block",
    "AR0503": "unknown parameter of a block",
    "AR0504": "spec cannot be extended",
    "AR0505": "no such layer",
    "AR0506": "not a layer or range of layers",
    "AR0507": "shared stack with different layers",
    "AR0508": "path goes through a value",
    "AR0509": "`after` in vain",
    # Expressions
    "AR0601": "unknown name in an expression",
    "AR0602": "not an expression",
    "AR0603": "number or expression too large",
    "AR0604": "sizes depend on each other",
    "AR0605": "expression has no value",
    "AR0606": "unknown function",
    "AR0607": "expression is not whole",
    # Weights
    "AR0701": "weights cannot be read",
    "AR0702": "not a file of weights",
    "AR0703": "damaged file of weights",
    "AR0704": "incomplete folder of weights",
    "AR0705": "weights that would run code",
    "AR0706": "number format of a tensor",
    "AR0707": "malformed rename rule",
    "AR0708": "weights and parameters differ",
    "AR0709": "rename rule does not fit its tensor",
    "AR0710": "shape of a parameter",
    "AR0711": "tied parameters that differ",
    "AR0712": "two tensors for one parameter",
    "AR0713": "weights that are not finite",
    "AR0714": "unknown family of weights",
    # Budget
    "AR0801": "not a metric or condition",
    "AR0810": "over budget",
    "AR0811": "unknown metric",
    "AR0812": "condition of a budget cannot be used",
    # Command line
    "AR0901": "not a patch",
    "AR0910": "unknown length",
    "AR0911": "length is fixed by the spec",
    "AR0912": "length below one",
    "AR0913": "length is missing",
    "AR0914": "fewer seen positions than new ones",
    "AR0915": "position beyond the table",
}


def page(code: str) -> str:
    """The page about a code, in Markdown: what, why, an example, the remedy."""
    return (PAGES / f"{code}.md").read_text(encoding="utf-8")
