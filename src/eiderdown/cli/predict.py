"""What ``eiderdown predict`` writes: a line for each row, before anything is printed."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated

from eiderdown.cli.commands import DeliveryOptions, Outcome
from eiderdown.files import write_text
from eiderdown.options import Option
from eiderdown.spreadsheets import harmless


class PredictionExtras(DeliveryOptions, total=False):
    """Where predictions go."""

    predictions: Annotated[
        Path,
        Option(
            "where the predictions are written, a line for each row",
            default=Path("predictions.csv"),
            metavar="FILE.csv",
        ),
    ]


def write_predictions(outcome: Outcome) -> None:
    """Write all predictions, or nothing: a half of a file is never there.

    Names and labels that spreadsheets would take for formulas have an apostrophe in front.
    """
    result = outcome.result
    text = io.StringIO(newline="")
    lines = csv.writer(text)
    shares = [f"probability of {label}" for label in result.classes]
    lines.writerow([harmless(result.target), *shares])
    for row, value in enumerate(result.values):
        found = result.probabilities[row] if result.probabilities else ()
        shown = harmless(value) if isinstance(value, str) else value
        lines.writerow([shown, *(f"{share:.6g}" for share in found)])
    write_text(text.getvalue(), outcome.extras["predictions"])
