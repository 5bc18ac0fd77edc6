"""Parts of an experiment that are done, kept in files until all of it is.

A part is a *cell*: it has a name, takes minutes, and gives something that JSON can hold. When a
stopped experiment is started again, its finished cells are read instead of made.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


class KeptCells:
    """The finished cells of one experiment.

    Parameters
    ----------
    folder
        Where they are kept; None keeps nothing.
    params
        What the cells depend on. Cells that were made with other params are made again.
    """

    def __init__(self, folder: Path | None, params: Mapping[str, Any]) -> None:
        self._folder = folder
        self._params = json.loads(json.dumps(params))

    def __len__(self) -> int:
        """Return how many cells are finished."""
        if self._folder is None:
            return 0
        return sum(self._read(path) is not None for path in self._folder.glob("*.json"))

    def peek(self, name: str) -> Any:
        """Return what a finished cell gives, or None."""
        kept = None if self._folder is None else self._read(self._folder / f"{name}.json")
        return None if kept is None else kept["cell"]

    def get(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what a cell gives, read or made."""
        if self._folder is None:
            return make()
        path = self._folder / f"{name}.json"
        kept = self._read(path)
        if kept is None:
            kept = {"params": self._params, "cell": make()}
            self._folder.mkdir(parents=True, exist_ok=True)
            # Written under another name first: half a file must never look like a cell.
            unfinished = path.with_suffix(".part")
            unfinished.write_text(json.dumps(kept), encoding="utf-8")
            unfinished.replace(path)
        return kept["cell"]

    def clear(self) -> None:
        """Forget all cells: the next experiment starts afresh, with the code of its day."""
        if self._folder is not None and self._folder.exists():
            shutil.rmtree(self._folder)

    def _read(self, path: Path) -> dict[str, Any] | None:
        if not path.exists():
            return None
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return kept if kept["params"] == self._params else None
