"""Plans as plain JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final

from eiderdown.data.columns import Kind
from eiderdown.data.notes import Note
from eiderdown.data.packing.plan import Plan, PlannedColumn

_SPEAKERS: Final = ("eiderdown.data.notes", "eiderdown.data.read", "eiderdown.data.screen")
"""Where the sentences of notes stand."""


def record_of(plan: Plan) -> dict[str, Any]:
    """Return a plan as JSON holds it; codes of ids are not needed any more."""
    return {
        "columns": [
            [c.name, c.source, c.section, list(c.categories), c.has_missing] for c in plan.columns
        ],
        "finer": {name: kind.value for name, kind in plan.finer.items()},
        "notes": [_note_record(note) for note in plan.notes],
        "left_out": dict(plan.left_out),
    }


def plan_from(record: Mapping[str, Any]) -> Plan:
    """Return the plan that was recorded."""
    columns = tuple(
        PlannedColumn(name, source, section, None, tuple(categories), bool(has_missing))
        for name, source, section, categories, has_missing in record["columns"]
    )
    finer = {name: Kind(value) for name, value in record["finer"].items()}
    notes = tuple(_note_from(note) for note in record["notes"])
    return Plan(columns, finer, notes, dict(record["left_out"]))


def _note_record(note: str) -> Any:
    if not isinstance(note, Note):
        return note
    sentence: Any = note.sentence
    args: list[Any] = []
    if isinstance(sentence, partial):
        sentence, args = sentence.func, list(sentence.args)
    return [sentence.__module__, sentence.__qualname__, args, list(note.columns)]


def _note_from(record: Any) -> str:
    if isinstance(record, str):
        return record
    module, name, args, columns = record
    if module not in _SPEAKERS:
        raise ValueError(f"no notes are made in {module}")
    sentence = getattr(import_module(module), name)
    return Note.of(partial(sentence, *args) if args else sentence, columns)
