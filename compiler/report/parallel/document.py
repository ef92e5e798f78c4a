"""Ranks of a model for programs: exact integers, units in the names, and formulas."""

from dataclasses import asdict
from typing import Any

from compiler.report.formula import formula
from compiler.report.parallel.ranks import Ranks, Stage
from compiler.report.parallel.said import assumptions


def document(ranks: Ranks) -> dict[str, Any]:
    """The part `parallel` of the document of `archc cost`; parallel.schema.json describes it."""
    bubble = ranks.degrees.bubble
    return {
        "degrees": asdict(ranks.degrees),
        "devices": ranks.degrees.ranks,
        "optimizer": ranks.setting.optimizer,
        "precision": ranks.setting.precision,
        "bubble": {"numerator": bubble.numerator, "denominator": bubble.denominator},
        "letters": ranks.degrees.sizes,
        "assumptions": assumptions(ranks),
        "stages": [_stage(stage) for stage in ranks.stages],
    }


def _stage(stage: Stage) -> dict[str, Any]:
    return {
        "stage": stage.index,
        "layers": stage.layers,
        **stage.numbers,
        "formulas": {name: formula(size) for name, size in stage.figures.items()},
        "transfers": [
            {
                "group": one.group,
                "kind": one.kind,
                "what": one.what,
                "bytes": stage.sent(one),
                "formula": formula(one.bytes),
            }
            for one in stage.transfers
        ],
    }
