"""What `archc explain` says of totals of cost reports and of ways of parallelism."""

from collections.abc import Iterator


def counted_text(name: str) -> str | None:
    """The page of a total such as `kv_bytes`, or of a word of `--parallel`; None where it is
    neither."""
    from compiler.passes.metrics import METRICS
    from compiler.report.parallel.degrees import WAYS

    if name in METRICS:
        return "\n".join(_total(name))
    if name in WAYS:
        return f"`{name}` of `--parallel`: {WAYS[name]}\n\n  example  --parallel {_example(name)}"
    return None


def _total(name: str) -> Iterator[str]:
    from compiler.passes.metrics import METRICS
    from compiler.report.explain.conventions import convention

    said = convention(name)
    yield f"`{name}`: {METRICS[name].meaning}"
    yield ""
    yield f"  unit     {METRICS[name].unit}"
    yield f"  counted  {said.said}"
    yield f"  source   {said.source}"
    yield ""
    yield f"`archc cost SPEC --explain {name}` has its formula and the numbers put in"


def _example(name: str) -> str:
    """Degrees in which a word does something."""
    beside = {
        "sp": "tp=8,sp=0",
        "zero": "dp=8,zero=3",
        "ep": "dp=8,ep=8",
        "microbatches": "pp=4,microbatches=8",
        "interleave": "pp=4,interleave=2,microbatches=8",
    }
    return beside.get(name, f"{name}=8")
