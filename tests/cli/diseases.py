"""Small files with the diseases of real ones, each of the same table.

In all of them ``y`` depends on ``dose`` and ``sex``, and ``noise`` on nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

N_ROWS = 240


def clean() -> pd.DataFrame:
    """Make the table before it falls ill."""
    rng = np.random.default_rng(12)
    sex = rng.choice(["f", "m"], N_ROWS)
    dose = rng.normal(50, 10, N_ROWS).round(2)
    noise = rng.normal(0, 1, N_ROWS).round(3)
    score = (dose - 50) / 5 + np.where(sex == "f", 2.0, -2.0) + rng.normal(0, 1, N_ROWS)
    y = np.where(score > 0, "yes", "no")
    return pd.DataFrame({"sex": sex, "dose": dose, "noise": noise, "y": y})


def _marked(mark: object) -> pd.DataFrame:
    """Lose some cells of every column."""
    table = clean().astype(object)
    for i, name in enumerate(table.columns):
        table.loc[[3 + i, 17 + i, 101 + i], name] = mark
    return table


def _all_at_once() -> pd.DataFrame:
    table = _marked("?")
    for name in ("dose", "noise"):
        table[name] = [str(cell).replace(".", ",") for cell in table[name]]
    visits = pd.date_range("2019-11-03", periods=N_ROWS).strftime("%d.%m.%Y")
    return table.assign(id=[f"P{i}" for i in range(N_ROWS)], visit=visits, **{"größe": "é"})


def _dated() -> pd.DataFrame:
    days = pd.date_range("2019-11-03", periods=N_ROWS)
    return clean().assign(visit=days, seen=days.strftime("%d/%m/%Y"))


def _identified() -> pd.DataFrame:
    table = clean()
    table.insert(0, "patient_id", [f"P-{7 * i:05d}" for i in range(N_ROWS)])
    return table


def _mixed() -> pd.DataFrame:
    table = clean().astype({"dose": object})
    table.loc[5, "dose"] = "n/a?"
    table.loc[9, "dose"] = "unknown"
    table.loc[11, "dose"] = ">80"
    return table


def _thousands() -> pd.DataFrame:
    return clean().assign(dose=[f"{1000 * value:,.0f}" for value in clean()["dose"]])


def _csv(make: Callable[[], pd.DataFrame], encoding: str = "utf-8", **how: object) -> bytes:
    return make().to_csv(**{"index": False, **how}).encode(encoding)


DISEASES: dict[str, Callable[[], bytes]] = {
    "healthy": lambda: _csv(clean),
    "empty cells": lambda: _csv(lambda: _marked(None)),
    "NA": lambda: _csv(lambda: _marked("NA")),
    "question marks": lambda: _csv(lambda: _marked("?")),
    "dashes": lambda: _csv(lambda: _marked("-")),
    "dates": lambda: _csv(_dated),
    "identifiers": lambda: _csv(_identified),
    "semicolons": lambda: _csv(clean, sep=";"),
    "decimal comma": lambda: _csv(clean, sep=";", decimal=","),
    "decimal comma in quotes": lambda: _csv(clean, decimal=","),
    "tabs": lambda: _csv(clean, sep="\t"),
    "spaces": lambda: clean().to_string(index=False).encode(),
    "byte-order mark": lambda: _csv(clean, encoding="utf-8-sig"),
    "two bytes a letter": lambda: _csv(clean, encoding="utf-16"),
    "Latin-1": lambda: _csv(lambda: clean().rename(columns={"noise": "bruit été"}), "latin-1"),
    "index column": lambda: _csv(clean, index=True),
    "mixed": lambda: _csv(_mixed),
    "duplicates": lambda: _csv(clean).replace(b"sex,dose,noise,y", b"sex,dose,dose,y"),
    "thousands": lambda: _csv(_thousands),
    "comments": lambda: b"# a survey\n# of 2020\n" + _csv(clean),
    "all at once": lambda: _csv(_all_at_once, "cp1252", sep=";", index=True),
}


def write(folder: Path, disease: str) -> Path:
    """Write the table with a disease."""
    path = folder / "table.csv"
    path.write_bytes(DISEASES[disease]())
    return path
