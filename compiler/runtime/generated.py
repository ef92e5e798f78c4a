"""How rows went on, in ids and in words."""

from typing import Any

from archspec.source.frozen import Frozen
from compiler.runtime.generation import Row
from compiler.runtime.sampling import Sampling


class Generated(Frozen):
    """How rows went on; `texts` has their new ids in words, where a tokenizer knows them."""

    rows: tuple[Row, ...]
    sampling: Sampling
    texts: tuple[str, ...] | None = None

    def text(self) -> str:
        """The words of each row, or the ids where there are none."""
        ids = (" ".join(map(str, row.new)) for row in self.rows)
        return "\n".join(ids if self.texts is None else self.texts)

    def document(self) -> dict[str, Any]:
        """Ids, how they ended and how they were chosen; `text` only where a tokenizer is there."""
        rows: list[dict[str, Any]] = [
            {
                "ended": "stop" if row.stopped else "length",
                "new_ids": row.new,
                "prompt_ids": list(row.prompt),
            }
            for row in self.rows
        ]
        if self.texts is not None:
            rows = [{**row, "text": text} for row, text in zip(rows, self.texts, strict=True)]
        return {
            "rows": rows,
            "seed": self.sampling.seed,
            "temperature": self.sampling.temperature,
            "top_k": self.sampling.top_k,
            "top_p": self.sampling.top_p,
        }
