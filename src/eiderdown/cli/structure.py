"""``eiderdown network`` and ``eiderdown region``: graphs learned from the columns of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from eiderdown.cli.manners import require_folder, writing
from eiderdown.cli.options import (
    AlgorithmName,
    Alpha,
    AsJson,
    CollinearManner,
    DataFile,
    DofManner,
    Exclude,
    KindOf,
    MaxGiven,
    Out,
    Quiet,
    ReliabilityFactor,
    ReliabilityRule,
    Seed,
    Setting,
    Target,
    TestName,
    Workers,
    evidence_options,
    settings_of,
    table_of,
)
from eiderdown.errors import OptionError

if TYPE_CHECKING:
    from eiderdown.data import Dataset
    from eiderdown.results import LearnedGraph

ScoreName: TypeAlias = Annotated[
    str, typer.Option("--score", help="Score of searches that score; 'auto' goes by the columns.")
]
ScoreSetting: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--score-set", metavar="NAME=VALUE", help="Option of the score's own; may be repeated."
    ),
]
KnowledgeFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--knowledge",
        metavar="FILE",
        help="A .json or .toml file: tiers, required, forbidden, max_parents.",
    ),
]
Export: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the graph for other programs: .dot, .graphml, .bif, .dagitty, .bnlearn, "
        ".tetrad or .csv (pcalg).",
    ),
]
Form: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="NAME", help="Format of --export, where the file's name says another."
    ),
]
Prior: TypeAlias = Annotated[
    float, typer.Option(help="Rows that the prior of the tables in a .bif file is worth.")
]
Plot: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE.png", help="Draw the graph as .png, .svg or .pdf.")
]


def network(  # noqa: PLR0913  typer reads the options from the parameters
    data: DataFile,
    *,
    algorithm: AlgorithmName = "mmhc",
    score: ScoreName = "auto",
    score_setting: ScoreSetting = None,
    alpha: Alpha = 0.01,
    max_given: MaxGiven = None,
    knowledge: KnowledgeFile = None,
    exclude: Exclude = None,
    setting: Setting = None,
    kind: KindOf = None,
    test: TestName = "auto",
    dof: DofManner = "adjusted",
    reliability_rule: ReliabilityRule = "rows_per_stratum",
    reliability_factor: ReliabilityFactor = 5.0,
    collinear: CollinearManner = "error",
    export: Export = None,
    form: Form = None,
    prior: Prior = 0.0,
    plot: Plot = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Learn the whole network of a file's columns, with the evidence for each edge."""
    from eiderdown.api import learn_network
    from eiderdown.api.whole_table import whole_table
    from eiderdown.cli.output import deliver
    from eiderdown.structure.algorithms import NETWORK_ALGORITHMS

    _check_files(out, export, form, plot)
    search = NETWORK_ALGORITHMS[algorithm]
    table = table_of(data, kind)
    result = learn_network(
        table,
        algorithm=algorithm,
        score=score,
        score_settings=_score_settings(score, score_setting),
        alpha=alpha,
        max_given=max_given,
        knowledge=knowledge,
        exclude=exclude or [],
        settings=settings_of(search, setting),
        evidence=evidence_options(test, dof, reliability_rule, reliability_factor, collinear),
        random_state=seed,
        n_workers=workers,
        progress=not quiet,
    )
    if export is not None:
        _write(result, export, form, whole_table(table, exclude or []).data, prior)
    if plot is not None:
        _draw(result, plot)
    deliver(result, as_json=as_json, out=out)


def region(  # noqa: PLR0913  typer reads the options from the parameters
    data: DataFile,
    *,
    target: Target,
    depth: Annotated[int, typer.Option(help="How many steps from the target.")] = 1,
    algorithm: AlgorithmName = "region_mmhc",
    score: ScoreName = "auto",
    score_setting: ScoreSetting = None,
    alpha: Alpha = 0.01,
    max_given: MaxGiven = None,
    knowledge: KnowledgeFile = None,
    exclude: Exclude = None,
    setting: Setting = None,
    kind: KindOf = None,
    test: TestName = "auto",
    dof: DofManner = "adjusted",
    reliability_rule: ReliabilityRule = "rows_per_stratum",
    reliability_factor: ReliabilityFactor = 5.0,
    collinear: CollinearManner = "error",
    export: Export = None,
    form: Form = None,
    prior: Prior = 0.0,
    plot: Plot = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Learn the part of the network around a column, without learning the rest."""
    from eiderdown.api import learn_region
    from eiderdown.api.whole_table import whole_table
    from eiderdown.cli.output import deliver
    from eiderdown.structure.algorithms import REGION_ALGORITHMS

    _check_files(out, export, form, plot)
    search = REGION_ALGORITHMS[algorithm]
    table = table_of(data, kind)
    result = learn_region(
        table,
        target=target,
        depth=depth,
        algorithm=algorithm,
        score=score,
        score_settings=_score_settings(score, score_setting),
        alpha=alpha,
        max_given=max_given,
        knowledge=knowledge,
        exclude=exclude or [],
        settings=settings_of(search, setting),
        evidence=evidence_options(test, dof, reliability_rule, reliability_factor, collinear),
        random_state=seed,
        n_workers=workers,
        progress=not quiet,
    )
    if export is not None:
        _write(result, export, form, whole_table(table, exclude or []).data, prior)
    if plot is not None:
        _draw(result, plot)
    deliver(result, as_json=as_json, out=out)


def _check_files(
    out: Path | None, export: Path | None, form: str | None, plot: Path | None
) -> None:
    """Refuse names that nothing can be written to before any work is done for them."""
    require_folder(out)
    require_folder(export, "--export")
    require_folder(plot, "--plot")
    if export is not None:
        from eiderdown.export import format_of

        format_of(export, form)
    if plot is not None:
        from eiderdown.report.plots import require_picture

        require_picture(plot)


def _score_settings(score: str, words: list[str] | None) -> dict[str, Any]:
    from eiderdown.scores import SCORES

    if score == "auto":
        if words:
            raise OptionError("--score-set needs a score to set; name one with --score.")
        return {}
    return settings_of(SCORES[score], words)


def _write(result: LearnedGraph, path: Path, form: str | None, data: Dataset, prior: float) -> None:
    from eiderdown.export import write_graph

    with writing(path):
        write_graph(result, path, form=form, data=data, equivalent_sample_size=prior)


def _draw(result: LearnedGraph, path: Path) -> None:
    from eiderdown.report.graph_plot import plot_graph

    with writing(path):
        plot_graph(result, path)
