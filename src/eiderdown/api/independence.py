"""``test``: one test of independence by the names of columns."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any, Unpack

from eiderdown.api.local import test_of
from eiderdown.api.tables import about_table
from eiderdown.data import Dataset
from eiderdown.data.notes import notes_about
from eiderdown.data.prepare import Prepared, prepare_target
from eiderdown.errors import ConstantColumnError, TargetAmongCandidatesError, listed
from eiderdown.independence import CachedTest, IndependenceResult
from eiderdown.independence.batch import Allows
from eiderdown.independence.registry import TESTS, columns_named_by, entry_of, kinds_taken
from eiderdown.options import Option, declared
from eiderdown.progress import watched
from eiderdown.results import IndependenceAnswer, Run, issue_warnings
from eiderdown.shared_options import (
    Alpha,
    IndependenceTestSource,
    KindOptions,
    Label,
    MemoryOptions,
    MissingOptions,
    Names,
    RowOptions,
    RunOptions,
)


class QuestionOptions(
    MissingOptions, RowOptions, KindOptions, MemoryOptions, RunOptions, total=False
):
    """What :func:`test` takes."""

    given: Annotated[Names, Option("columns to hold fixed", default=(), metavar="COLUMN")]
    alpha: Alpha
    test: IndependenceTestSource


@about_table
@declared
def test(data: Any, x: Label, y: Label, **options: Unpack[QuestionOptions]) -> IndependenceAnswer:
    """Test whether two columns are independent given others.

    Where one of the two has to be the response of a regression, or to be named first, it is ``y``.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`. Only the columns of the question are looked at.
    x, y : label
        The two columns.
    **options

    Returns
    -------
    IndependenceAnswer
        The answer (dependent, independent, or cannot say and why not), the numbers of the test,
        and why it was this test. Printed, it says so in sentences.

    Examples
    --------
    >>> import eiderdown
    >>> data = eiderdown.networks.load("asia").sample(5_000, random_state=0)
    >>> eiderdown.test(data, "smoke", "xray").answer
    'dependent'
    >>> eiderdown.test(data, "smoke", "xray", given=["either"]).answer
    'independent'
    """
    alpha, given, started = options["alpha"], tuple(options["given"]), time.perf_counter()
    prepared = _prepared(data, x, y, given, options)
    what, limit = f"test of {x!r} and {y!r}", options["time_limit"]
    with watched(what, progress=options["progress"], counted="tests", time_limit=limit) as shown:
        evidence = test_of(prepared, options)
        shown.progressed("testing", 0)
        result = _asked(prepared, evidence, x, given)
    answer = IndependenceAnswer(
        x=x,
        y=y,
        given=given,
        answer=result.answer(alpha),
        reason="" if result.decided(alpha) else _reason(result, x, y, given),
        alpha=alpha,
        test=_name(evidence),
        chosen=_chosen(options["test"], evidence.why),
        statistic=result.statistic,
        dof=result.dof,
        log_p=result.log_p,
        n_used=result.n_used,
        effect=result.effect,
        run=Run.of(
            "test",
            prepared.source,
            evidence.description,
            counts=[evidence.counts],
            seconds=time.perf_counter() - started,
        ),
        warnings=(*prepared.warnings, *evidence.notes),
    )
    issue_warnings(answer)
    return answer


test.__test__ = False  # type: ignore[attr-defined]  # not for pytest to collect


def _prepared(
    data: Dataset, x: str, y: str, given: tuple[str, ...], options: QuestionOptions
) -> Prepared:
    """Take the columns of the question out of the table, in kinds that go together."""
    names = (x, y, *given)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise TargetAmongCandidatesError(
            f"Column {twice!r} appears twice in the question; name two columns, and others to hold "
            "fixed."
        )
    named = columns_named_by(options["test"])
    columns = tuple(dict.fromkeys((*names, *named)))
    asked = replace(data.select(columns), notes=notes_about(data.notes, columns))
    if x in asked.constant_columns():
        raise ConstantColumnError(
            f"Column {x!r} has a single value in all {data.n_rows} rows, so nothing can depend on "
            "it; choose another column or other rows."
        )
    takes = kinds_taken(options["test"])
    return prepare_target(asked, y, exclude=named, takes=takes, missing=options["missing"])


def _asked(
    prepared: Prepared, test: CachedTest, x: str, given: Iterable[str]
) -> IndependenceResult:
    """Ask the test; columns of a single value need not be held fixed."""
    assert prepared.target is not None
    varying = [name for name in given if name in prepared.candidate_names]
    column = prepared.data.index
    return test.test(column(x), prepared.target, [column(name) for name in varying])


def _reason(result: IndependenceResult, x: str, y: str, given: tuple[str, ...]) -> str:
    """Say in names why there is no answer."""
    if result.allows == Allows.FUNCTION and given:
        return f"Nothing is left to test: {x!r} or {y!r} is a function of {listed(given)}."
    return result.reason


def _chosen(source: Any, why: str) -> str:
    """Say why it was this test."""
    entry = entry_of(source)
    asked = "" if entry is not None and entry.name == "auto" else "it was asked for"
    return "; ".join(filter(None, (asked, why)))


def _name(test: CachedTest) -> str:
    """Return the name by which users ask for a test; for one of their own, what it calls itself."""
    own = str(test.description["test"])
    return next((entry.name for entry in TESTS if entry.function.__name__ == own), own)
