"""``find_causes``: which neighbours of a column are its causes, which its effects, and how sure."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Unpack

from eiderdown.api.local import test_of
from eiderdown.api.tables import about_table
from eiderdown.confidence.forkable import may_fork
from eiderdown.confidence.ordered_runs import Jobs
from eiderdown.confidence.resamples import Resampled, Resampling, learn_resampled
from eiderdown.data import Dataset
from eiderdown.data.prepare import Prepared, prepare_network
from eiderdown.errors import listed
from eiderdown.graphs import PDAG
from eiderdown.independence.registry import kinds_taken
from eiderdown.manipulation.engine import SearchWay, engine_for, region_columns, within
from eiderdown.manipulation.indicators import undeclared_groups
from eiderdown.manipulation.orientation import Combined, Runs, combine
from eiderdown.manipulation.y_structures import YTests
from eiderdown.options import Option, declared
from eiderdown.progress import Cancelled, Trace, watched
from eiderdown.randomness import as_seed
from eiderdown.results import Orientation, Run, issue_warnings
from eiderdown.shared_options import (
    IndependenceOptions,
    KnowledgeOptions,
    Label,
    RunOptions,
    ScoreOptions,
    TableOptions,
)
from eiderdown.structure import StructureProblem
from eiderdown.structure.hybrid.mmhc import MaxMinCandidates


class DirectionOptions(KnowledgeOptions, total=False):
    """How edges are directed."""

    depth: Annotated[
        int | None,
        Option(
            "how many rings of parents and children around the target take part; None for all "
            "columns of a small table and at most three rings of a larger one",
            default=None,
            at_least=1,
        ),
    ]
    search: Annotated[
        SearchWay,
        Option(
            "how edges are directed: by a search among classes of graphs (GES), or by a climb "
            "among the edges that MMPC finds (MMHC)",
            default="classes",
        ),
    ]
    resamples: Annotated[
        int, Option("how often rows are drawn and searched", default=20, at_least=1, metavar="N")
    ]


class CausesOptions(
    TableOptions, IndependenceOptions, ScoreOptions, DirectionOptions, RunOptions, total=False
):
    """What :func:`find_causes` takes."""


@about_table
@declared
def find_causes(data: Any, target: Label, **options: Unpack[CausesOptions]) -> Orientation:
    """Find out which neighbours of a column are its causes and which its effects.

    Rows are drawn again and again, and each time a graph of the columns around the target is
    learned, with other parameters of the score. Y-tests add which causes share no hidden cause
    with the target. What the data cannot say stays undecided.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    target : label
        The column in question.
    **options

    Returns
    -------
    Orientation
        For each neighbour how likely it is a cause or an effect and why, the spouses, the Y-tests
        and the graph. Cancelled with Ctrl-C or by a time limit, of the searches so far.

    Notes
    -----
    A direction rests on the assumption that all common causes are in the table, except where
    Y-tests show it without (``unconfounded``). Indicator columns of one category are to be joined
    by ``column_groups``: taken for single columns they mislead.

    Examples
    --------
    >>> from eiderdown import find_causes, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> found = find_causes(data, target="either", random_state=0, progress=False)
    >>> sorted(found.causes), sorted(found.effects)
    (['lung', 'tub'], ['dysp', 'xray'])
    """
    started = time.perf_counter()
    prepared = prepare_network(
        data,
        target=target,
        exclude=options["exclude"],
        knowledge=options["knowledge"],
        takes=kinds_taken(options["test"]),
        missing=options["missing"],
        complete="searches among classes of graphs take no others",
    )
    seed = as_seed(options["random_state"])
    with watched(
        f"causes of {target!r}",
        progress=options["progress"],
        counted="steps",
        time_limit=options["time_limit"],
    ) as trace:
        work = _Work(prepared, options, seed, trace)
        combined, complete = work.done()
    result = Orientation(
        target=prepared.target_name,
        neighbours=combined.neighbours,
        spouses=combined.spouses,
        y_structures=combined.y_structures,
        graph=combined.graph,
        engine=work.engine.description,
        run=work.record(time.perf_counter() - started),
        warnings=(*prepared.warnings, *_about_groups(prepared), *work.warnings),
        complete=complete,
    )
    issue_warnings(result)
    return result


class _Work:
    """The steps from a prepared table to what is combined."""

    def __init__(self, prepared: Prepared, options: CausesOptions, seed: int, trace: Trace) -> None:
        self._prepared, self._options, self._seed, self._trace = prepared, options, seed, trace
        self._test = test_of(prepared, options)
        self.engine = engine_for(prepared.data, options["score"], options["search"])
        self.warnings: tuple[str, ...] = tuple(self._test.notes)

    def done(self) -> tuple[Combined, bool]:
        """Find the region, learn from resamples, test, and combine; what is there if cancelled."""
        prepared, options = self._prepared, self._options
        assert prepared.target is not None
        runs, resampled = Runs(prepared.target_name), Resampled(complete=False)
        try:
            # 1. The region around the target, by MMPC.
            candidates = self._candidates()
            columns = region_columns(
                candidates, prepared.target, prepared.data.n_columns, options["depth"]
            )
            # 2. Graphs of the region, from resampled rows and with several parameters; meanwhile
            # who is adjacent to whom there, and what separates others.
            y_tests: list[YTests] = []
            resampled = self._learned(
                candidates,
                columns,
                runs,
                lambda: y_tests.append(self._y_tests(candidates, columns)),
            )
            # 3. Y-tests on all rows, and what everything says together.
            combined = combine(runs, y_tests[0], prepared.data.names, prepared.column_knowledge)
        except Cancelled:
            combined = Combined((), (), (), PDAG([prepared.target_name]))
        self.warnings += tuple(_about_runs(resampled, options["resamples"]))
        return combined, resampled.complete

    def _candidates(self) -> MaxMinCandidates:
        options = self._options
        return MaxMinCandidates(
            StructureProblem(
                self._prepared.data.n_columns,
                test=self._test,
                alpha=options["alpha"],
                max_given=options["max_given"],
                knowledge=self._prepared.column_knowledge,
                trace=self._trace,
            )
        )

    def _y_tests(self, candidates: MaxMinCandidates, columns: Sequence[int]) -> YTests:
        return YTests(
            self._test,
            candidates.among(columns),
            candidates.separating_sets(columns),
            alpha=self._options["alpha"],
        )

    def _learned(
        self,
        candidates: MaxMinCandidates,
        columns: Sequence[int],
        runs: Runs,
        meanwhile: Callable[[], None],
    ) -> Resampled:
        """Learn a graph of the region from each resample."""
        prepared, options = self._prepared, self._options
        names = [prepared.data.names[i] for i in columns]
        region = prepared.data.select(names)
        self.engine = engine = engine_for(region, options["score"], options["search"])
        known = prepared.knowledge
        if known is not None:
            known = known.restricted_to(names, table=prepared.data.names)
        allowed = within(candidates, columns) if engine.way == "climb" else None
        quiet, n_rows = self._trace.silent(), region.n_rows
        share = min(1.0, (engine.most_rows or n_rows) / n_rows)

        def learn(table: Dataset, seed: int) -> PDAG:
            return engine.learn(table, seed, knowledge=known, candidates=allowed, trace=quiet)

        resampled = learn_resampled(
            learn,
            region,
            gather=runs.add,
            n_resamples=options["resamples"],
            resampling=Resampling("bootstrap", share),
            seed=self._seed,
            jobs=Jobs(options["n_jobs"], forks=may_fork(region, options), meanwhile=meanwhile),
            trace=self._trace,
        )
        resampled.require_some()
        return resampled

    def record(self, seconds: float) -> Run:
        """Write down how it went."""
        options, engine = self._options, self.engine
        said: dict[str, Any] = {
            name: options[name] for name in ("depth", "search", "resamples", "alpha", "max_given")
        }
        said |= {**self._test.description, "engine": engine.description}
        if self._prepared.knowledge is not None:
            said["knowledge"] = self._prepared.knowledge.to_dict()
        return Run.of(
            "causes",
            self._prepared.source,
            said,
            counts=[self._test.counts],
            seconds=seconds,
            random_state=self._seed,
        )


def _about_groups(prepared: Prepared) -> list[str]:
    """Say which columns look like indicators of one category."""
    return [
        f"Columns {listed(group)} look like indicators of one category, and such columns mislead a "
        "search for causes; join them by column_groups, or give the category itself."
        for group in undeclared_groups(prepared.data)
    ]


def _about_runs(resampled: Resampled, wanted: int) -> list[str]:
    """Say which searches are missing."""
    said = []
    if resampled.failures:
        first = resampled.failures[min(resampled.failures)]
        said.append(
            f"{len(resampled.failures)} of {resampled.n_tried} resamples gave no graph; the first: "
            f"{first}"
        )
    if not resampled.complete:
        said.append(f"Interrupted: {resampled.n_tried} of {wanted} resamples are done.")
    return said
