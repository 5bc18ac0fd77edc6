"""What ``eiderdown predict`` writes: a line for each row, before anything is printed."""

from __future__ import annotations

import csv
import os
import tempfile
from pathlib import Path
from typing import Annotated

from eiderdown.cli.commands import DeliveryOptions, Outcome
from eiderdown.options import Option


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
    """Write all predictions, or nothing: a half of a file is never there."""
    from eiderdown.cli.console import writing

    result, path = outcome.result, Path(outcome.extras["predictions"])
    with writing(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        try:
            with os.fdopen(handle, "w", newline="", encoding="utf-8") as file:
                lines = csv.writer(file)
                shares = [f"probability of {label}" for label in result.classes]
                lines.writerow([result.target, *shares])
                for row, value in enumerate(result.values):
                    found = result.probabilities[row] if result.probabilities else ()
                    lines.writerow([value, *(f"{share:.6g}" for share in found)])
            Path(name).chmod(0o666 & ~_mask())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _mask() -> int:
    """Return what the user's files are not to allow; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
