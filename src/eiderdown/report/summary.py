"""A result in a line, and in a few lines: what was found, by what, how sure, what is in doubt.

Names of columns may hold anything and be of any length, and a result may have thousands of them:
what is said here is escaped, cut off, and short.
"""

from __future__ import annotations

from eiderdown.report.names import name, sentence
from eiderdown.report.sentences import about, findings, reservations
from eiderdown.report.text import counted, effort, forgotten
from eiderdown.results import AllBoundaries, Result, Run

N_WARNINGS = 5
"""How many warnings are repeated; the result itself holds all."""

_WORDS = {
    "all_boundaries": "Boundaries of many columns",
    "boundaries": "Alternative Markov boundaries",
    "boundary_check": "Check of a Markov boundary",
    "boundary_path": "Path of the Markov boundary",
    "edge_stability": "Edges in resampled rows",
    "feature_confidence": "Confidence in graph features",
    "learned_network": "Learned network",
    "learned_region": "Learned region",
    "learned_skeleton": "Learned skeleton",
    "optima_by_size": "Distinct models by sample size",
    "orientation": "Causes and effects",
    "parents_children": "Parents and children",
    "result_changes": "Changes between two results",
    "selector_comparison": "Selectors of columns compared",
}


def line(result: Result) -> str:
    """Say in one line what a result is.

    Examples
    --------
    >>> from eiderdown import find_boundary, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> find_boundary(data, target="dysp")
    <MarkovBoundary of 'dysp': 2 members (bronc, either); consensus, 5,000 rows x 8 columns>
    """
    run, said = run_of(result), about(result)
    how = "" if run is None else f"; {name(run.algorithm)}, {_shape(run)}"
    interrupted = "" if result.complete else "; interrupted"
    space = "" if said.startswith(":") else " "
    return f"<{type(result).__name__}{space}{said}{how}{interrupted}>"


def paragraph(result: Result) -> str:
    """Say in a few lines what was found, by what, how sure that is, and what is in doubt.

    Examples
    --------
    >>> from eiderdown import find_boundary, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> print(find_boundary(data, target="dysp").summary())  # doctest: +ELLIPSIS
    Markov boundary of 'dysp': 2 members (bronc, either).
    Parents or children: bronc, either.
    Strongest: bronc (p 1.5e-525). Weakest: either (p 2.4e-67), at alpha 0.01.
    Nearest miss: lung (p 0.113) given bronc, either.
    By consensus: 86 tests, ... seconds on 5,000 rows x 8 columns.
    """
    lines = [headline(result), *findings(result), *found_by(result), *doubts(result)]
    return "\n".join(lines)


def headline(result: Result) -> str:
    """Say in a sentence what was found."""
    said = about(result)
    space = "" if said.startswith(":") else " "
    return f"{words(result)}{space}{said}."


def words(result: Result) -> str:
    """Name the kind of a result in words."""
    plain = result.kind.replace("_", " ").replace("markov", "Markov")
    return _WORDS.get(result.kind, plain[:1].upper() + plain[1:])


def found_by(result: Result) -> list[str]:
    """Say which search it was, how long it took, and on how large a table."""
    run = run_of(result)
    if run is None:
        return []
    tests = f"{counted(run.n_tests, 'test')}{forgotten(run)}, " if run.n_tests else ""
    return [f"By {name(run.algorithm)}: {tests}{effort(run)}"]


def doubts(result: Result) -> list[str]:
    """Say what speaks against taking the result as it stands."""
    found = [] if result.complete else ["Interrupted: this is the best so far."]
    found += reservations(result)
    found += [f"Warning: {sentence(text)}" for text in result.warnings[:N_WARNINGS]]
    if len(result.warnings) > N_WARNINGS:
        found.append(f"{len(result.warnings) - N_WARNINGS:,} more in .warnings.")
    return found


def run_of(result: Result) -> Run | None:
    """Return how a result came about; of many results without a sum, how the first did."""
    run: Run | None = getattr(result, "run", None)
    if run is None and isinstance(result, AllBoundaries):
        return next((found.run for found in result.values()), None)
    return run


def _shape(run: Run) -> str:
    return f"{run.n_rows:,} rows x {run.n_columns:,} columns"
