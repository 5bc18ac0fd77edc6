"""``eiderdown confidence``: how sure one can be of edges, directed paths and boundaries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from eiderdown.cli.confidence_pictures import ConfidencePictures
from eiderdown.cli.manners import INTERRUPTED, require_folder, writing
from eiderdown.cli.options import (
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
from eiderdown.cli.structure import KnowledgeFile, ScoreName, ScoreSetting, score_of
from eiderdown.errors import OptionError

if TYPE_CHECKING:
    from eiderdown.results import FeatureConfidence, OptimaBySize

Source = Literal["kes", "resamples", "boundaries"]
Weighting = Literal["distinct", "runs", "score"]


def confidence(  # noqa: PLR0913  typer reads the options from the parameters
    data: DataFile,
    *,
    target: Annotated[
        str | None, typer.Option(help="Column whose Markov boundary is asked about.")
    ] = None,
    source: Annotated[
        Source,
        typer.Option(
            help="Where models come from: kes (local optima of all rows), resamples (a model for "
            "each resample) or boundaries (repeated searches around --target)."
        ),
    ] = "kes",
    runs: Annotated[
        int | None, typer.Option(help="How many models to find; 1000 by KES, 100 otherwise.")
    ] = None,
    k: Annotated[
        float | None,
        typer.Option(help="KES takes the best of this share of its moves: 0.8; 0 takes any."),
    ] = None,
    score: ScoreName = "auto",
    score_setting: ScoreSetting = None,
    weighting: Annotated[
        Weighting | None,
        typer.Option(
            help="What a model counts: distinct (all alike), runs (how often found) or score."
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Least confidence; by default where the errors are fewest."),
    ] = None,
    knowledge: KnowledgeFile = None,
    max_parents: Annotated[
        int | None, typer.Option(metavar="N", help="Most parents of any column, for kes.")
    ] = None,
    turning: Annotated[
        bool, typer.Option("--turning", help="Let kes turn edges, too: fewer, better optima.")
    ] = False,
    algorithm: Annotated[
        str | None,
        typer.Option(help="Search for resamples (mmhc) or boundaries (kiamb)."),
    ] = None,
    method: Annotated[
        Literal["bootstrap", "subsample"],
        typer.Option(help="Draw resamples with replacement, or without: bootstrap or subsample."),
    ] = "bootstrap",
    share: Annotated[
        float | None,
        typer.Option(help="Share of the rows of a resample; all, or half for subsample."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(help="How many steps from the target a region reaches.")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="Significance level, between 0 and 1.")
    ] = None,
    max_given: MaxGiven = None,
    setting: Setting = None,
    test: TestName = "auto",
    test_setting: TestSetting = None,
    exclude: Exclude = None,
    kind: KindOf = None,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json",
            help="Keep the runs of kes here, and go on from those that are there already.",
        ),
    ] = None,
    plot_curves: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Draw false positives against false negatives."),
    ] = None,
    plot_graph: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Draw the edges by confidence, around --target."),
    ] = None,
    shares: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Also count the local optima in samples of these shares of the rows, for instance "
            "0.1,0.5,1.",
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(help="Samples for each of the --shares.")] = 5,
    plot_optima: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Draw the number of local optima by share."),
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Measure how sure one can be of edges, directed paths and Markov boundaries."""
    from eiderdown.api import measure_confidence, measure_optima

    pictures = ConfidencePictures(plot_curves, plot_graph, plot_optima)
    require_folder(out)
    require_folder(state, "--state")
    _check_threshold(threshold)
    wanted_shares = _shares(shares, plot_optima, source)
    table = table_of(data, kind)
    how = {
        "score": score_of(score, score_setting),
        "knowledge": knowledge,
        "max_parents": max_parents,
        "turning": turning,
        "exclude": tuple(exclude or ()),
        "random_state": seed,
        "n_jobs": workers,
        "progress": not quiet,
        **_without_none(k=k),
    }
    result = measure_confidence(
        table,
        source=source,
        target=target,
        runs=runs,
        weighting=weighting,
        algorithm=_configured(source, algorithm, setting),
        method=method,
        share=share,
        state=state,
        **how,
        **_without_none(
            depth=depth, alpha=alpha, max_given=max_given, test=_unless_default(test, test_setting)
        ),
    )
    pictures.draw(result, threshold)
    _deliver(result, threshold=threshold, as_json=as_json, out=out)
    if wanted_shares is not None:
        counted = measure_optima(
            table, shares=wanted_shares, repeats=repeats, **how, **_without_none(runs=runs)
        )
        pictures.draw_optima(counted)
        _show_optima(counted, as_json=as_json)


def _check_threshold(threshold: float | None) -> None:
    if threshold is not None:
        from eiderdown.results.graph_features import check_threshold

        check_threshold(threshold)


def _shares(words: str | None, picture: Path | None, source: Source) -> tuple[float, ...] | None:
    """Read the shares of the rows in which optima are counted; None for no counting."""
    if words is None and picture is None:
        return None
    if source != "kes":
        raise OptionError("--shares and --plot-optima count local optima; leave out --source.")
    try:
        return tuple(float(word) for word in (words or "0.1,0.25,0.5,1").split(","))
    except ValueError as problem:
        raise OptionError(
            f"--shares {words!r} is no list of numbers; write for instance 0.1,0.5,1."
        ) from problem


def _configured(source: Source, name: str | None, words: list[str] | None) -> Any:
    """Return the search with the options of its own."""
    if not words:
        return name
    if source == "kes":
        raise OptionError("--set is for the searches of other sources; KES has --k.")
    from eiderdown.api import LEARNERS

    search = LEARNERS[name or ("kiamb" if source == "boundaries" else "mmhc_restarts")]
    return search.with_params(params_of(search, words))


def _unless_default(name: str, words: list[str] | None) -> Any:
    """Return the test if somebody chose one: not every source makes tests."""
    return test_of(name, words) if name != "auto" or words else None


def _without_none(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _deliver(
    result: FeatureConfidence, *, threshold: float | None, as_json: bool, out: Path | None
) -> None:
    if as_json:
        typer.echo(result.to_json())
    else:
        from rich.console import Console

        from eiderdown.report.confidence import render_confidence

        render_confidence(result, Console(), threshold=threshold)
    if out is not None:
        with writing(out):
            result.save(out)
    if not result.complete:
        raise typer.Exit(INTERRUPTED)


def _show_optima(counted: OptimaBySize, *, as_json: bool) -> None:
    """Print the counts for people; what programs read is about confidence alone."""
    if not as_json:
        from rich.console import Console

        from eiderdown.report import render

        render(counted, Console())
    if not counted.complete:
        raise typer.Exit(INTERRUPTED)
