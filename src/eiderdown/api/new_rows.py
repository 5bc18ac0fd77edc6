"""``predict``: a column of new rows, of which some columns may have been set from outside."""

from __future__ import annotations

import time
from typing import Annotated, Any, Unpack

import numpy as np

from eiderdown.api.prediction import Plan, PredictionOptions, Predictor
from eiderdown.api.recording import note_table, recorded
from eiderdown.data import Dataset
from eiderdown.data.missing import with_target
from eiderdown.options import Option, declared
from eiderdown.progress import watched
from eiderdown.results import Predictions, Run, UsedColumns, issue_warnings
from eiderdown.shared_options import ExcludeOptions, Label, RunOptions
from eiderdown.svm.grid_svm import area_under_curve, r2


class PredictOptions(PredictionOptions, ExcludeOptions, RunOptions, total=False):
    """What :func:`predict` takes."""

    manipulated: Annotated[
        Any,
        Option(
            "columns that were set from outside in the new rows, or a text of names with commas "
            "between; 'unknown' if any may have been; None if none was",
            default=None,
            metavar="COLUMN,...",
        ),
    ]


@recorded
@declared
def predict(
    data: Any, new_rows: Any, target: Label, **options: Unpack[PredictOptions]
) -> Predictions:
    """Predict a column of new rows, in which some columns may have been set from outside.

    Parameters
    ----------
    data : any table
        Rows that nobody touched, to learn from; see :meth:`eiderdown.Dataset.of`.
    new_rows : any table
        The rows to predict. Columns are known by their names; only those that are used are looked
        at. If it has the target, the predictions are scored.
    target : label
        The column to predict.
    **options

    Returns
    -------
    Predictions
        Values, probabilities of classes, and which columns they were made from, and why.

    Examples
    --------
    >>> from eiderdown import networks, predict
    >>> from sklearn.naive_bayes import BernoulliNB
    >>> lucas = networks.load("lucas")
    >>> untouched = lucas.sample(2_000, random_state=0)
    >>> tired = lucas.do({"Fatigue": "yes"}).sample(500, random_state=1)
    >>> quick = {"estimator": BernoulliNB(), "candidates": ("boundary",), "progress": False}
    >>> found = predict(untouched, tired, "Lung_Cancer", manipulated=["Fatigue"], **quick)
    >>> "Fatigue" in found.used.columns, "Smoking" in found.used.columns
    (False, True)
    """
    started = time.perf_counter()
    table = data if isinstance(data, Dataset) else Dataset.of(data, exclude=options["exclude"])
    note_table(table)
    rows = new_rows if isinstance(new_rows, Dataset) else Dataset.of(new_rows)
    name = table.name(target)
    table = table.drop([x for x in map(str, options["exclude"]) if x in table.names])
    table, said = with_target(table, table.index(name))
    with watched(
        f"prediction of {name!r}",
        progress=options["progress"],
        counted="done",
        time_limit=options["time_limit"],
    ):
        predictor = Predictor.fitted(table, name, options)
        manipulated = _named(options["manipulated"], table)
        used, plan = predictor.used(manipulated), predictor.plan(manipulated)
        result = _result(predictor, rows, used, plan)
    run = Run.of(
        "causal_predictor",
        table,
        {
            "boundary": predictor.boundary.run.algorithm,
            **predictor.boundary.run.options,
            "candidates": list(options["candidates"]),
            "caution": options["caution"],
            "cv": options["cv"],
            "estimator": repr(options["estimator"]),
        },
        counts=[predictor.boundary.run],
        seconds=time.perf_counter() - started,
        random_state=options["random_state"],
    )
    found = Predictions(**result, run=run, warnings=(*table.notes, *said, *_beware(used)))
    issue_warnings(found)
    return found


def _named(manipulated: Any, table: Dataset) -> Any:
    """Read a text as names with commas between, unless a column is called so."""
    if not isinstance(manipulated, str) or manipulated in ("unknown", *table.names):
        return manipulated
    return [name.strip() for name in manipulated.split(",") if name.strip()]


def _result(predictor: Predictor, rows: Dataset, used: UsedColumns, plan: Plan) -> dict[str, Any]:
    """Predict, and score where the truth is there."""
    target, regression = predictor.task.target, predictor.task.regression
    oriented = predictor.orientation if predictor.is_oriented else None
    shared = {"target": target, "used": used, "orientation": oriented}
    if regression:
        values = predictor.values(rows, plan)
        score = _score_numbers(rows, target, values)
        return shared | {
            "task": "regression",
            "values": tuple(values.tolist()),
            "classes": (),
            "probabilities": (),
            "score": score,
        }
    shares = predictor.probabilities(rows, plan)
    return shared | {
        "task": "classification",
        "values": tuple(predictor.classes[code] for code in shares.argmax(axis=1)),
        "classes": predictor.classes,
        "probabilities": tuple(map(tuple, shares.tolist())),
        "score": _score_classes(rows, predictor, shares),
    }


def _score_numbers(rows: Dataset, target: str, values: Any) -> float | None:
    if target not in rows.names or rows.categories(rows.index(target)):
        return None
    index = rows.index(target)
    known = ~rows.missing(index)
    return r2(rows.values(index)[known], values[known]) if known.any() else None


def _score_classes(rows: Dataset, predictor: Predictor, shares: Any) -> float | None:
    """Return the AUC among rows of known classes."""
    target = predictor.task.target
    if target not in rows.names or not rows.is_discrete[rows.index(target)]:
        return None
    place = {str(label): code for code, label in enumerate(predictor.classes)}
    index = rows.index(target)
    labels = np.array([place.get(str(c), -1) for c in rows.categories(index)] + [-1])
    codes = labels[rows.codes(index)]
    known = codes >= 0
    return area_under_curve(codes[known], shares[known]) if known.any() else None


def _beware(used: UsedColumns) -> list[str]:
    """Say what the prediction should not be trusted for."""
    said = [] if used.offence is None else [used.offence]
    if not used.columns:
        said.append(
            f"No column is left that tells of {used.target!r} whatever is set, so that all "
            "predictions are the same; name the columns that are set, if you know them."
        )
    return said
