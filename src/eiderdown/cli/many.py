"""``eiderdown boundaries`` and ``eiderdown all``: several boundaries of one column, one of each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eiderdown.cli.manners import require_folder, writing
from eiderdown.cli.options import (
    AlgorithmName,
    Alpha,
    AsJson,
    DataFile,
    Exclude,
    KindOf,
    MaxGiven,
    Out,
    Quiet,
    Required,
    Seed,
    Setting,
    Target,
    TestName,
    TestSetting,
    Workers,
    pairs_of,
    table_of,
    test_of,
)


def boundaries(  # noqa: PLR0913  typer reads the options from the parameters
    data: DataFile,
    *,
    target: Target,
    algorithm: AlgorithmName = "kiamb",
    runs: Annotated[int, typer.Option(help="How many searches.")] = 100,
    patience: Annotated[
        int | None,
        typer.Option(metavar="N", help="Stop after so many runs without a new boundary."),
    ] = None,
    alpha: Alpha = 0.01,
    max_given: MaxGiven = None,
    required: Required = None,
    exclude: Exclude = None,
    setting: Setting = None,
    kind: KindOf = None,
    test: TestName = "auto",
    test_setting: TestSetting = None,
    folds: Annotated[
        int, typer.Option(help="Folds of the cross-validation of each boundary; 0 for none.")
    ] = 5,
    test_data: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Rows to measure accuracy on instead.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Draw frequencies, sizes and accuracies."),
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Find several Markov boundaries of a column by repeated searches with random choices."""
    from eiderdown.api import find_boundaries
    from eiderdown.boundary import BOUNDARY_ALGORITHMS
    from eiderdown.cli.output import deliver
    from eiderdown.report.plots import plot_multiplicity, require_picture

    require_folder(out)
    require_folder(plot, "--plot")
    if plot is not None:
        require_picture(plot)
    result = find_boundaries(
        table_of(data, kind),
        target=target,
        algorithm=BOUNDARY_ALGORITHMS[algorithm].with_texts(pairs_of("--set", setting)),
        runs=runs,
        patience=patience,
        alpha=alpha,
        max_given=max_given,
        required=required or [],
        exclude=exclude or [],
        test=test_of(test, test_setting),
        cv=folds or None,
        test_data=test_data,
        random_state=seed,
        n_jobs=workers,
        progress=not quiet,
    )
    if plot is not None:
        with writing(plot):
            plot_multiplicity(result, plot)
    deliver(result, as_json=as_json, out=out)


def find_all(  # noqa: PLR0913  typer reads the options from the parameters
    data: DataFile,
    *,
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="Column to ask about; may be repeated. All by default."
        ),
    ] = None,
    algorithm: AlgorithmName = "pcmb",
    alpha: Alpha = 0.01,
    max_given: MaxGiven = None,
    setting: Setting = None,
    kind: KindOf = None,
    test: TestName = "auto",
    test_setting: TestSetting = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Find the boundary (or the parents and children) of every column; one line for each."""
    from eiderdown.api import find_all_boundaries
    from eiderdown.boundary import ALGORITHMS
    from eiderdown.cli.output import deliver

    require_folder(out)
    result = find_all_boundaries(
        table_of(data, kind),
        algorithm=ALGORITHMS[algorithm].with_texts(pairs_of("--set", setting)),
        targets=target,
        alpha=alpha,
        max_given=max_given,
        test=test_of(test, test_setting),
        random_state=seed,
        n_jobs=workers,
        progress=not quiet,
    )
    deliver(result, as_json=as_json, out=out)
