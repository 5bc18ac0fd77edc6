"""``compare_selectors``: which selection of columns serves prediction best, honestly measured."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

import numpy as np

from eiderdown.api.selectors import COMMON, SELECTORS, Selector
from eiderdown.api.tables import about_table
from eiderdown.data.missing import FOR_SVM
from eiderdown.data.prepare import prepare_target
from eiderdown.errors import EiderdownError, OptionError
from eiderdown.options import Option, declared
from eiderdown.progress import Cancelled, Trace, watched
from eiderdown.results import ComparedSelector, Run, SelectorComparison, Trial, issue_warnings
from eiderdown.shared_options import Label, RunOptions, TableOptions
from eiderdown.svm.approximation import Approximation, ApproximationOptions
from eiderdown.svm.cross_validation import Split

if TYPE_CHECKING:
    from eiderdown.api.selection import SelectionTable

DEGREES = (1, 2, 3)
"""Degrees to choose from; a fourth, as in the thesis, seldom pays and is the slowest."""

CS = tuple(10.0**power for power in range(-8, 4, 2))
"""Values of C to choose from: every other one of the thesis's."""

MOST_LISTED = 1_000
"""Of a selection of more columns only the size is kept."""

_OF_TABLE = ("degrees", "Cs", "inner_folds", "class_weight", "n_jobs")
_EVERYONE = "everyone"  # gives warnings that are about the rows and not about a selector


class CompareOptions(TableOptions, RunOptions, ApproximationOptions, total=False):
    """The options of :func:`compare_selectors`."""

    selectors: Annotated[
        Collection[Any] | str | Selector | None,
        Option(
            "names of selectors, or configured ones; 'all' for all, None for one of each sort",
            default=None,
            metavar="NAME,...",
        ),
    ]
    folds: Annotated[int, Option("number of folds", default=5)]
    test_share: Annotated[
        float | None,
        Option(
            "instead of folds, the share of the rows to judge on", default=None, metavar="SHARE"
        ),
    ]
    degrees: Annotated[
        Sequence[int], Option("degrees to choose from", default=DEGREES, metavar="N")
    ]
    Cs: Annotated[
        Sequence[float],
        Option("values of C to choose from", default=CS, flag="--Cs", metavar="C"),
    ]
    inner_folds: Annotated[int, Option("folds of that choice", default=5)]
    class_weight: Annotated[
        Literal["balanced"] | None,
        Option("whether errors on rare classes cost SVMs more", default=None),
    ]
    max_seconds_each: Annotated[
        float | None,
        Option(
            "how long one selection may take; a slower selector is given up, which its row says",
            default=None,
            metavar="S",
        ),
    ]


@about_table
@declared
def compare_selectors(
    data: Any, target: Label, **options: Unpack[CompareOptions]
) -> SelectorComparison:
    """Compare ways to select columns by how well an SVM predicts with what they select.

    Each selector is the first step of a scikit-learn pipeline whose second step is a support vector
    machine with a polynomial kernel, its degree and C chosen by cross-validation. The pipeline is
    trained on one part of the rows and judged on the other, for each fold, or once with
    ``test_share``.

    Parameters
    ----------
    data : Dataset, pandas, polars or Arrow table, NumPy or SciPy sparse array, or a path
        The table; see :meth:`eiderdown.Dataset.of`.
    target : label
        The target column: classes (judged by AUC) or numbers (judged by R2).
    **options

    Returns
    -------
    SelectorComparison
        A row for each selector, with the reason where something is missing. Interrupted with
        Ctrl-C or when its time is over, what was done until then.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(3)
    >>> coins, noise = rng.integers(0, 2, size=(200, 8)), rng.random(200) < 0.05
    >>> table = {f"x{i}": column for i, column in enumerate(coins.T)}
    >>> table["y"] = coins[:, 1] ^ coins[:, 4] ^ noise
    >>> found = compare_selectors(table, target="y", selectors=["none", "fsmb"], folds=2)
    >>> found["fsmb"].trials[0].variables, round(found["fsmb"].score, 2)
    (('x1', 'x4'), 0.97)
    """
    from eiderdown.api.selection import SelectionTable

    started = time.perf_counter()
    chosen, limit = _chosen(options["selectors"]), options["max_seconds_each"]
    if limit is not None and not limit > 0.0:
        raise OptionError(f"max_seconds_each must be positive or None, not {limit!r}.")
    problem = prepare_target(
        data,
        target,
        exclude=options["exclude"],
        missing=options["missing"],
        complete=FOR_SVM,
    )
    how = {name: options[name] for name in _OF_TABLE}  # type: ignore[literal-required]
    approximation = Approximation.of(options)
    table = SelectionTable(problem, approximation=approximation, **how)
    splits = table.splits(options["folds"], options["test_share"], options["random_state"])
    trials = _Trials(table, chosen, splits, limit)
    with watched(
        f"{len(chosen)} selectors for {target!r}",
        progress=options["progress"],
        counted="selections done",
        time_limit=options["time_limit"],
    ) as trace:
        complete = trials.run(options["random_state"], trace)
    run = Run.of(
        "compare_selectors",
        problem.data,
        {**_recorded(chosen, splits, options), **approximation.record(_n_trained(splits))},
        seconds=time.perf_counter() - started,
        random_state=options["random_state"],
    )
    warning = approximation.warning(_n_trained(splits))
    approximate = () if warning is None else (warning,)
    result = SelectorComparison(
        target=target,
        measure="R2" if table.params.regression else "AUC",
        n_variables=table.n_variables,
        n_splits=len(splits),
        tested_on=f"{len(splits)}-fold cross-validation"
        if options["test_share"] is None
        else f"{len(splits[0][1]):,} rows kept aside",
        selectors=trials.rows(),
        run=run,
        warnings=(*table.notes, *approximate, *trials.warnings(complete)),
        complete=complete,
    )
    issue_warnings(result)
    return result


def _n_trained(splits: Sequence[Split]) -> int:
    return max(len(rows) for rows, _ in splits)


def _recorded(
    chosen: Sequence[Selector], splits: Sequence[Split], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Say what the record of a run has."""
    return {
        "selectors": [selector.name for selector in chosen],
        "folds": len(splits) if options["test_share"] is None else None,
        "test_share": options["test_share"],
        "degrees": list(options["degrees"]),
        "Cs": list(options["Cs"]),
        **{name: options[name] for name in ("inner_folds", "class_weight", "max_seconds_each")},
    }


def _chosen(selectors: Any) -> list[Selector]:
    if isinstance(selectors, str):
        selectors = [selectors]
    if selectors is None:
        selectors = COMMON
    elif len(selectors) == 1 and isinstance(selectors[0], str) and selectors[0] == "all":
        selectors = SELECTORS.names
    if len(selectors) == 0:
        raise OptionError("No selector was named; give some names, 'all', or None.")
    entries = [SELECTORS[source] for source in selectors]
    return list({entry.name: entry for entry in entries}.values())


def _sort_of(sentence: str) -> str:
    """Return what a warning says on every split: its numbers and the columns it names differ."""
    return re.sub(r"'[^']*'|\d+", "", sentence)


class _Trials:
    """What selectors have done so far, split by split, and their warnings."""

    def __init__(
        self,
        table: SelectionTable,
        selectors: list[Selector],
        splits: Sequence[Split],
        max_seconds: float | None,
    ) -> None:
        self._table, self._selectors, self._splits = table, selectors, splits
        self._max_seconds = max_seconds
        self._trials: dict[str, list[Trial]] = {selector.name: [] for selector in selectors}
        self._problems: dict[str, str] = {}
        self._sentences: dict[str, tuple[str, list[str]]] = {}
        self._said = {_sort_of(sentence) for sentence in table.notes}  # of the whole table

    def run(self, random_state: int | None, trace: Trace) -> bool:
        """Let every selector select on every split; return False if cancelled."""
        from eiderdown.api.selection import seeds

        try:
            for number, seed in enumerate(seeds(random_state, len(self._splits))):
                rows, _ = self._splits[number]
                trace.progressed(f"tuning an SVM for split {number + 1}", self._n_done)
                with self._warnings_of(_EVERYONE):
                    self._table.task(rows, seed)  # what all selectors share
                for selector in self._selectors:
                    trace.progressed(f"{selector.name} on split {number + 1}", self._n_done)
                    if selector.name not in self._problems:
                        self._try(selector, number, seed)
        except Cancelled:
            return False
        return True

    def _try(self, selector: Selector, number: int, seed: int) -> None:
        from eiderdown.api.selection import TooSlow

        where = f"split {number + 1} of {len(self._splits)}"
        try:
            with self._warnings_of(selector.name):
                self._trials[selector.name].append(self._trial(selector, number, seed))
        except TooSlow:
            limit = f"{self._max_seconds:g} seconds"
            self._problems[selector.name] = f"given up on {where}: it took more than {limit}."
        except EiderdownError as problem:
            self._problems[selector.name] = f"failed on {where}: {problem}"
        except Exception as problem:
            # One broken library must not take the others' results with it.
            first_line = str(problem).strip().partition("\n")[0]
            what = f"{type(problem).__name__}: {first_line}"
            self._problems[selector.name] = f"failed on {where}: {what}"

    def _trial(self, selector: Selector, number: int, seed: int) -> Trial:
        from sklearn.model_selection import cross_validate
        from sklearn.pipeline import make_pipeline

        from eiderdown.api.selection import ColumnSelection, TunedSVM

        pipeline = make_pipeline(
            ColumnSelection(selector, self._table, seed, self._max_seconds),
            TunedSVM(self._table, seed),
        )
        found = cross_validate(
            pipeline,
            np.arange(len(self._table.y)),
            self._table.y,
            cv=[self._splits[number]],
            return_estimator=True,
            error_score="raise",
        )
        (selection, svm), columns = found["estimator"][0], found["estimator"][0][0].columns_
        return Trial(
            n_variables=len(columns),
            variables=columns if len(columns) <= MOST_LISTED else None,
            score=float(found["test_score"][0]),
            degree=svm.degree_,
            C=svm.C_,
            seconds=selection.seconds_,
        )

    def rows(self) -> tuple[ComparedSelector, ...]:
        """Return a row for each selector, in the order in which they were named."""
        return tuple(
            ComparedSelector(
                selector.name,
                selector.summary,
                tuple(self._trials[selector.name]),
                self._problem(selector.name),
            )
            for selector in self._selectors
        )

    def _problem(self, name: str) -> str | None:
        n_done, n_splits = len(self._trials[name]), len(self._splits)
        if name not in self._problems and n_done < n_splits:
            return f"interrupted after {n_done} of {n_splits} splits."
        return self._problems.get(name)

    @property
    def _n_done(self) -> int:
        return sum(map(len, self._trials.values()))

    @contextmanager
    def _warnings_of(self, name: str) -> Iterator[None]:
        """Keep warnings of all selections, each sort once, with those who gave it."""
        with warnings.catch_warnings(record=True) as recorded:
            warnings.simplefilter("always")
            yield
        for warning in recorded:
            sentence = " ".join(str(warning.message).split())
            sort = _sort_of(sentence)
            if sort in self._said:
                continue
            _, names = self._sentences.setdefault(sort, (sentence, []))
            if name not in names:
                names.append(name)

    def warnings(self, complete: bool) -> list[str]:
        """Return the sentences, each with the names of the selectors."""
        sentences = [
            sentence if _EVERYONE in names else f"{', '.join(names)}: {sentence}"
            for sentence, names in self._sentences.values()
        ]
        if not complete:
            n_wanted = len(self._selectors) * len(self._splits)
            sentences.append(f"Interrupted: {self._n_done} of {n_wanted} selections are done.")
        return sentences
