"""``eiderdown network`` and ``eiderdown region``: graphs learned from the columns of a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

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
    Seed,
    Setting,
    Target,
    TestName,
    TestSetting,
    Workers,
    pairs_of,
    params_of,
    table_of,
    test_of,
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


@dataclass(frozen=True)
class GraphFiles:
    """Where a graph is to go besides the result; names that cannot be written to are refused."""

    export: Path | None
    form: str | None
    prior: float
    plot: Path | None

    def __post_init__(self) -> None:
        require_folder(self.export, "--export")
        require_folder(self.plot, "--plot")
        if self.export is not None:
            from eiderdown.export import format_of

            format_of(self.export, self.form)
        if self.plot is not None:
            from eiderdown.report.plots import require_picture

            require_picture(self.plot)

    def write(self, result: LearnedGraph, table: Dataset, exclude: list[str]) -> None:
        """Write the graph for other programs, and draw it, where that was asked for."""
        if self.export is not None:
            from eiderdown.data.prepare import prepare_network
            from eiderdown.export import format_of, write_graph

            form = format_of(self.export, self.form)
            if "equivalent_sample_size" in form.options:
                form = form.with_params({"equivalent_sample_size": self.prior})
            data = prepare_network(table, exclude=exclude).data
            with writing(self.export):
                write_graph(result, self.export, form=form, data=data)
        if self.plot is not None:
            from eiderdown.report.graph_plot import plot_graph

            with writing(self.plot):
                plot_graph(result, self.plot)


def network(  # noqa: PLR0913  typer reads the options from the parameters
    data: DataFile,
    *,
    algorithm: AlgorithmName = "mmhc_restarts",
    score: ScoreName = "auto",
    score_setting: ScoreSetting = None,
    alpha: Alpha = 0.01,
    max_given: MaxGiven = None,
    knowledge: KnowledgeFile = None,
    exclude: Exclude = None,
    setting: Setting = None,
    kind: KindOf = None,
    test: TestName = "auto",
    test_setting: TestSetting = None,
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
    from eiderdown.cli.output import deliver
    from eiderdown.structure.registry import NETWORK_ALGORITHMS

    require_folder(out)
    files = GraphFiles(export, form, prior, plot)
    search = NETWORK_ALGORITHMS[algorithm]
    table = table_of(data, kind)
    result = learn_network(
        table,
        algorithm=search.with_params(params_of(search, setting)),
        score=score_of(score, score_setting),
        alpha=alpha,
        max_given=max_given,
        knowledge=knowledge,
        exclude=exclude or [],
        test=test_of(test, test_setting),
        random_state=seed,
        n_jobs=workers,
        progress=not quiet,
    )
    files.write(result, table, exclude or [])
    deliver(result, as_json=as_json, out=out)


def region(  # noqa: PLR0913  typer reads the options from the parameters
    data: DataFile,
    *,
    target: Target,
    depth: Annotated[int, typer.Option(help="How many steps from the target.")] = 1,
    algorithm: AlgorithmName = "region_mmhc_restarts",
    score: ScoreName = "auto",
    score_setting: ScoreSetting = None,
    alpha: Alpha = 0.01,
    max_given: MaxGiven = None,
    knowledge: KnowledgeFile = None,
    exclude: Exclude = None,
    setting: Setting = None,
    kind: KindOf = None,
    test: TestName = "auto",
    test_setting: TestSetting = None,
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
    from eiderdown.cli.output import deliver
    from eiderdown.structure.registry import REGION_ALGORITHMS

    require_folder(out)
    files = GraphFiles(export, form, prior, plot)
    search = REGION_ALGORITHMS[algorithm]
    table = table_of(data, kind)
    result = learn_region(
        table,
        target=target,
        depth=depth,
        algorithm=search.with_params(params_of(search, setting)),
        score=score_of(score, score_setting),
        alpha=alpha,
        max_given=max_given,
        knowledge=knowledge,
        exclude=exclude or [],
        test=test_of(test, test_setting),
        random_state=seed,
        n_jobs=workers,
        progress=not quiet,
    )
    files.write(result, table, exclude or [])
    deliver(result, as_json=as_json, out=out)


def score_of(score: str, words: list[str] | None) -> Any:
    """Find a score by its name and configure it."""
    from eiderdown.scores import SCORES

    if score == "auto":
        if words:
            raise OptionError("--score-set needs a score to set; name one with --score.")
        return score
    return SCORES[score].with_texts(pairs_of("--score-set", words))
