"""``eiderdown stability``: how often edges come back when rows are resampled."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from eiderdown.cli.manners import require_folder, writing
from eiderdown.cli.options import (
    AlgorithmName,
    AsJson,
    DataFile,
    Exclude,
    KindOf,
    MaxGiven,
    Out,
    Quiet,
    Seed,
    Setting,
    TestName,
    TestSetting,
    Workers,
    params_of,
    table_of,
    test_of,
)
from eiderdown.cli.structure import Export, Form, KnowledgeFile


def stability(  # noqa: PLR0913  typer reads the options from the parameters
    data: DataFile,
    *,
    algorithm: AlgorithmName = "mmhc_restarts",
    target: Annotated[
        str | None, typer.Option(help="Column around which a region or neighbours are searched.")
    ] = None,
    depth: Annotated[
        int | None, typer.Option(help="How many steps from the target a region reaches.")
    ] = None,
    resamples: Annotated[int, typer.Option(help="How often to draw rows and learn again.")] = 100,
    method: Annotated[
        Literal["bootstrap", "subsample"],
        typer.Option(help="Draw rows with replacement, or without: bootstrap or subsample."),
    ] = "bootstrap",
    share: Annotated[
        float | None,
        typer.Option(help="Share of the rows to draw; all of them, or half for subsample."),
    ] = None,
    score: Annotated[str | None, typer.Option(help="Score of searches that score.")] = None,
    alpha: Annotated[
        float | None, typer.Option(help="Significance level, between 0 and 1.")
    ] = None,
    max_given: MaxGiven = None,
    knowledge: KnowledgeFile = None,
    exclude: Exclude = None,
    setting: Setting = None,
    kind: KindOf = None,
    test: TestName = "auto",
    test_setting: TestSetting = None,
    threshold: Annotated[
        float, typer.Option(help="Least share of the resamples that an exported edge was in.")
    ] = 0.5,
    export: Export = None,
    form: Form = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Measure how often each edge comes back when the graph is learned from resampled rows."""
    from eiderdown.api import LEARNERS, measure_stability
    from eiderdown.cli.output import deliver
    from eiderdown.export import format_of, write_graph

    require_folder(out)
    require_folder(export, "--export")
    if export is not None:
        format_of(export, form)
    search = LEARNERS[algorithm]
    options: dict[str, Any] = {
        "depth": depth,
        "score": score,
        "alpha": alpha,
        "max_given": max_given,
        "knowledge": knowledge,
        "exclude": exclude,
    }
    result = measure_stability(
        table_of(data, kind),
        algorithm=search.with_params(params_of(search, setting)),
        target=target,
        resamples=resamples,
        method=method,
        share=share,
        random_state=seed,
        n_jobs=workers,
        progress=not quiet,
        test=test_of(test, test_setting),
        **{name: value for name, value in options.items() if value is not None},
    )
    if export is not None:
        with writing(export):
            write_graph(result.consensus(threshold=threshold), export, form=form)
    deliver(result, as_json=as_json, out=out)
