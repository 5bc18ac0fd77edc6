"""Other libraries on the tables of ``accuracy.py``, by the scripts with which they are benchmarked.

Each runs on one thread in a process and an environment of its own: .venv-peers and .venv-xges, as
``make peers`` makes them; PEERS_PYTHON and XGES_PYTHON name other interpreters. What is not
installed there is named and left out. Their seconds are those of the clock, from the table in
memory to the answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from accuracy_searches import Answer, Question, of_graph
from accuracy_tables import Kind, Sample
from harness import ROOT

from eiderdown.errors import GraphError

PYTHONS = {
    "xges": Path(os.environ.get("XGES_PYTHON", ROOT / ".venv-xges" / "bin" / "python")),
    "": Path(os.environ.get("PEERS_PYTHON", ROOT / ".venv-peers" / "bin" / "python")),
}
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
MOST_COLUMNS = 120
"""In larger tables most peers find nothing within the time limit."""

DISCRETE: tuple[Kind, ...] = ("discrete",)
NUMBERS: tuple[Kind, ...] = ("gaussian", "bent")
OF_BENCHMARKS = ROOT / "benchmarks"
STRUCTURE, EQUIVALENCE, LOCAL, NUMERIC = (
    OF_BENCHMARKS / "structure_peer_runs.py",
    OF_BENCHMARKS / "equivalence_peer_runs.py",
    OF_BENCHMARKS / "peer_runs.py",
    ROOT / "experiments" / "accuracy_peer_runs.py",
)


class NoAnswerError(Exception):
    """A peer failed, or gave no graph."""


@dataclass(frozen=True)
class Peer:
    """A search of another library; it has the same methods as one of ours."""

    question: Question
    name: str
    tier: int
    package: str
    runs: Mapping[tuple[Kind, ...], tuple[Path, str]]
    """For kinds of tables the script that runs it, and its name there."""
    start: float = 10.0
    """Seconds beside the time limit for imports, and for what is compiled."""

    @property
    def key(self) -> str:
        """A name that no other search has."""
        return f"peer {self.name}"

    def takes(self, one: Sample) -> bool:
        """Whether it can be run on such a table, in reasonable time."""
        return self._run(one.kind) is not None and one.data.n_columns <= MOST_COLUMNS

    def find(self, one: Sample, limit: float) -> Answer:
        """Search."""
        script, name = self._run(one.kind) or (Path(), "")
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table.npz"
            np.savez(table, **_arrays(one))
            lines = _lines(
                [str(_python(self.package)), str(script), name, str(table)], limit + self.start
            )
        if lines is None:
            return Answer(limit, False, seconds_are_of_the_clock=True)
        return _read(lines, self.question, one)

    def _run(self, kind: Kind) -> tuple[Path, str] | None:
        return next((run for kinds, run in self.runs.items() if kind in kinds), None)


def _arrays(one: Sample) -> dict[str, Any]:
    """Return the table as the scripts read it, without columns that do not vary."""
    constant = set(one.data.constant_columns())
    columns = [i for i, name in enumerate(one.data.names) if name not in constant]
    names = np.array([one.data.names[i] for i in columns])
    arrays = {"names": names, "targets": np.array(one.targets)}
    if one.kind != "discrete":
        return {**arrays, "values": np.column_stack([one.data.values(i) for i in columns])}
    # Categories that no row shows are left out, for peers could not know them either.
    shown = [np.unique(one.data.codes(i), return_inverse=True)[1] for i in columns]
    codes = np.column_stack(shown).astype(np.int64)
    return {**arrays, "codes": codes, "values": codes}


def _lines(command: Sequence[str], limit: float) -> list[dict[str, Any]] | None:
    """Run a script until the time limit, and read what it tells."""
    environment = os.environ | ONE_THREAD
    environment.pop("PYTHONPATH", None)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=limit, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not any("seconds" in line for line in told):
        errors = done.stderr.strip().splitlines()
        raise NoAnswerError(errors[-1] if errors else "no answer")
    return told


def _read(lines: list[dict[str, Any]], question: Question, one: Sample) -> Answer:
    """Read a graph, or one set for each target."""
    last = lines[-1]
    if question == "graph":
        directed, undirected = ([(a, b) for a, b in last[k]] for k in ("directed", "undirected"))
        try:
            answer = of_graph(directed, undirected, one)
        except GraphError as error:  # a cycle of arrows, or no equivalence class
            raise NoAnswerError(str(error)) from error
    else:
        sets = {line["target"]: frozenset(line["members"]) for line in lines if "target" in line}
        complete, is_boundary = len(sets) == len(one.targets), question == "boundary"
        answer = Answer(0.0, complete, *((sets, None) if is_boundary else (None, sets)))
    return replace(answer, seconds=last["seconds"], seconds_are_of_the_clock=True)


def _python(package: str) -> Path:
    return PYTHONS.get(package, PYTHONS[""])


@cache
def is_installed(package: str) -> bool:
    """Whether a package is in the environment of the peers."""
    look = f"from importlib.metadata import version; version({package!r})"
    python = _python(package)
    if not python.exists():
        return False
    return not subprocess.run([python, "-c", look], capture_output=True, check=False).returncode


def _graph_peer(name: str, tier: int, package: str, runs: Mapping[tuple[Kind, ...], Any]) -> Peer:
    return Peer("graph", name, tier, package, runs)


def _of_structure(name: str, tier: int, *, numeric: bool = False) -> Peer:
    runs = {DISCRETE: (STRUCTURE, name)} | ({NUMBERS: (NUMERIC, name)} if numeric else {})
    return _graph_peer(name, tier, name.split(maxsplit=1)[0], runs)


PEERS = (
    Peer("graph", "xges", 3, "xges", {(*DISCRETE, *NUMBERS): (EQUIVALENCE, "xges")}, start=60.0),
    _of_structure("pybnesian hill climbing", 1, numeric=True),
    _of_structure("pyagrum tabu", 1),
    _of_structure("pybnesian MMHC", 2, numeric=True),
    _of_structure("causal-learn PC", 3, numeric=True),
    _of_structure("pyagrum PC", 2),
    _of_structure("pyagrum hill climbing", 3),
    _of_structure("pgmpy tabu", 3),
    _of_structure("pgmpy PC", 3),
    _of_structure("pgmpy MMHC", 3),
    _graph_peer(
        "causal-learn GES",
        3,
        "causal-learn",
        {(*DISCRETE, *NUMBERS): (EQUIVALENCE, "causal-learn")},
    ),
    Peer(
        "parents_children", "pybnesian MMPC", 2, "pybnesian", {DISCRETE: (LOCAL, "pybnesian MMPC")}
    ),
    Peer("boundary", "pyCausalFS IAMB", 2, "pyCausalFS", {DISCRETE: (LOCAL, "pyCausalFS IAMB")}),
    Peer("boundary", "pyCausalFS PCMB", 3, "pyCausalFS", {DISCRETE: (LOCAL, "pyCausalFS PCMB")}),
)
