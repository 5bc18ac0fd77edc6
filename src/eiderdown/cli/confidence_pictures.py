"""Pictures that ``eiderdown confidence`` draws."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eiderdown.cli.manners import require_folder, writing

if TYPE_CHECKING:
    from eiderdown.results import FeatureConfidence, OptimaBySize


@dataclass(frozen=True)
class ConfidencePictures:
    """Where pictures go; names that cannot be drawn into are refused."""

    curves: Path | None
    graph: Path | None
    optima: Path | None

    def __post_init__(self) -> None:
        options = {
            "--plot-curves": self.curves,
            "--plot-graph": self.graph,
            "--plot-optima": self.optima,
        }
        for option, path in options.items():
            require_folder(path, option)
            if path is not None:
                from eiderdown.report.plots import require_picture

                require_picture(path)

    def draw(self, result: FeatureConfidence, threshold: float | None) -> None:
        """Draw the curves and the graph, where that was asked for."""
        if self.curves is not None:
            from eiderdown.report.plots import plot_trade_off

            with writing(self.curves):
                plot_trade_off(result, self.curves)
        if self.graph is not None:
            from eiderdown.report.graph_plot import plot_confident_graph

            with writing(self.graph):
                plot_confident_graph(result, self.graph, threshold=threshold, target=result.target)

    def draw_optima(self, counted: OptimaBySize) -> None:
        """Draw the number of optima, where that was asked for."""
        if self.optima is not None:
            from eiderdown.report.plots import plot_optima

            with writing(self.optima):
                plot_optima(counted, self.optima)
