"""The pictures of docs/performance.md, scale.md and experiments.md, from the saved records.

Small SVGs with texts as texts. The same numbers give the same file, with one version of
Matplotlib. Nothing is computed here but means of what a table shows. Usage::

    python tools/record_pictures.py
"""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"
BENCHMARKS = ROOT / "benchmarks" / "results"
EXPERIMENTS = ROOT / "experiments" / "results"
OURS, OTHERS, NEUTRAL = "#00897b", "#b26a00", "#607d8b"


class Picture(NamedTuple):
    """A picture: its file, what it shows, and the table below which it stands."""

    file: str
    caption: str
    below: str
    draw: Callable[[Any, dict[str, Any]], None]

    def markdown(self) -> str:
        """Return the line that shows it."""
        return f"![{self.caption}](pictures/{self.file})"


def _peers(axes: Any, case: dict[str, Any], measure: str, label: str) -> None:
    """Draw seconds against what was reached, ours and others."""
    for ours, colour, marker in ((True, OURS, "o"), (False, OTHERS, "^")):
        runs = [run for run in case["runs"] if run["name"].startswith("eiderdown") is ours]
        runs = [run for run in runs if run.get(measure) is not None and not run.get("stopped")]
        seconds = [run["seconds"] for run in runs]
        name = "eiderdown" if ours else "others that finished"
        axes.scatter(seconds, [run[measure] for run in runs], c=colour, marker=marker, label=name)
    axes.set_xscale("log")
    axes.set_xlim(0.01, 100)
    axes.set_xticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
    axes.set_xlabel("seconds")
    axes.set_ylabel(label)
    axes.set_title(f"{case['network'].capitalize()}, {case['rows']:,} rows", fontsize=10)


def draw_local(figure: Any, record: dict[str, Any]) -> None:
    """Draw searches around targets beside those of other libraries."""
    for axes, case in zip(figure.subplots(1, len(record["cases"])), record["cases"], strict=True):
        _peers(axes, case, "f1", "mean F1")
        axes.set_ylim(0, 1.05)
    figure.axes[-1].legend(frameon=False, fontsize=8, loc="lower right")


def draw_networks(figure: Any, record: dict[str, Any]) -> None:
    """Draw whole networks beside those of other libraries."""
    cases = [case for case in record["cases"] if case["network"] in {"alarm", "hailfinder"}]
    for axes, case in zip(figure.subplots(1, len(cases)), cases, strict=True):
        _peers(axes, case, "shd", "distance from the true CPDAG")
        axes.set_ylim(bottom=0)
    figure.axes[-1].legend(frameon=False, fontsize=8, loc="best")


def draw_rows(figure: Any, record: dict[str, Any]) -> None:
    """Draw seconds against rows."""
    axes, cells = figure.subplots(), record["cells"]
    n_rows = [cell["rows"] for cell in cells]
    later = [max(cell[f"later sweep {k}"]["seconds"] for k in (1, 2, 3)) for cell in cells]
    axes.plot(n_rows, later, color=OURS, marker="o", markersize=3, label="slowest later sweep")
    styles = {"plain_pass": (OTHERS, "-"), "first sweep": (OURS, "--")}
    styles |= {"iamb": (NEUTRAL, "-"), "auto": (NEUTRAL, "--")}
    names = {"plain_pass": "plain pass", "iamb": "IAMB", "auto": "default"}
    for key, (colour, dashes) in styles.items():
        seconds = [cell[key]["seconds"] for cell in cells]
        label = names.get(key, key)
        axes.plot(n_rows, seconds, dashes, color=colour, marker="o", markersize=3, label=label)
    _logarithmic(axes, "rows")


def draw_columns(figure: Any, record: dict[str, Any]) -> None:
    """Draw seconds against columns."""
    axes, cells = figure.subplots(), record["cells"]
    dashes = {"iamb": "-", "auto": "--", "pcmb": ":"}
    colours = {"sparse": OURS, "dense": OTHERS, "genes": NEUTRAL}
    for form, search in dict.fromkeys((cell["form"], cell["search"]) for cell in cells):
        own = [cell for cell in cells if (cell["form"], cell["search"]) == (form, search)]
        axes.plot(
            [cell["columns"] for cell in own],
            [cell["seconds"] for cell in own],
            dashes.get(search, "-."),
            color=colours.get(form, "#333333"),
            marker="o",
            markersize=3,
            label=f"{form}, {search}",
        )
    _logarithmic(axes, "columns")


def _logarithmic(axes: Any, what: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(what)
    axes.set_ylabel("seconds")
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _table(record: dict[str, Any], start: str) -> tuple[list[str], list[list[Any]]]:
    found = next(table for table in record["tables"] if table["title"].startswith(start))
    return found["columns"], found["rows"]


def draw_runs(figure: Any, record: dict[str, Any]) -> None:
    """Draw how well the boundaries of KIAMB's runs predict."""
    _, rows = _table(record, "Thrombin, kiamb")
    axes = figure.subplots()
    axes.bar([row[0].replace(" to ", "-") for row in rows], [row[1] for row in rows], color=OURS)
    axes.tick_params(axis="x", labelsize=8)
    axes.set_xlabel("accuracy, %")
    axes.set_ylabel("runs of KIAMB")


def draw_prediction(figure: Any, record: dict[str, Any]) -> None:
    """Draw how well selected columns predict against how many there are."""
    _, rows = _table(record, "All tables")
    axes = figure.subplots()
    for i, (way, score, _, share) in enumerate(sorted(rows, key=lambda row: float(row[3]))):
        ours = way in {"boundary", "goal=prediction"}
        colour = OURS if ours else OTHERS if way != "all columns" else NEUTRAL
        axes.scatter([float(share)], [float(score)], color=colour)
        beside = (5, 3 if i % 2 else -10)  # names of points that lie close stay apart
        axes.annotate(way, (float(share), float(score)), beside, textcoords="offset points")
    axes.set_xlim(0, 1.2)
    axes.set_xlabel("share of the columns that is kept")
    axes.set_ylabel("mean score")


def draw_intervention(figure: Any, record: dict[str, Any]) -> None:
    """Draw how well columns predict when a known half was set, mean over networks."""
    columns, rows = _table(record, "Test 1, ")
    counts = sorted({row[1] for row in rows})
    axes = figure.subplots()
    styles = {"all": (OTHERS, "-"), "boundary": (OTHERS, "--"), "thesis": (NEUTRAL, ":")}
    styles |= {"default": (OURS, "-"), "oracle": ("#333333", "--")}
    for name, (colour, dashes) in styles.items():
        place = columns.index(name)
        means = [_mean([float(row[place]) for row in rows if row[1] == n]) for n in counts]
        axes.plot(counts, means, dashes, color=colour, marker="o", markersize=3, label=name)
    axes.set_xticks(counts, [f"{n:,}" for n in counts])
    axes.set_xlabel("rows")
    axes.set_ylabel("AUC or R2, mean over networks")
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))


def draw_false_discoveries(figure: Any, record: dict[str, Any]) -> None:
    """Draw how often anything is found where there is nothing, by error rate."""
    columns, rows = _table(record, "Drawn tables in which no column matters")
    chosen = [row for row in rows if row[2] == "iamb" and row[3] == "0.05"]
    axes = figure.subplots()
    rates = {"test": OTHERS, "fdr_positive": NEUTRAL, "fdr": OURS}
    for i, (rate, colour) in enumerate(rates.items()):
        place = columns.index(f"{rate}: any wrong")
        heights = [float(row[place]) for row in chosen]
        axes.bar([x + 0.27 * (i - 1) for x in range(len(chosen))], heights, 0.25, color=colour)
    axes.legend(list(rates), title="error_rate", frameon=False, fontsize=8)
    axes.axhline(0.05, color="#333333", linewidth=0.8, linestyle=":")
    axes.set_xticks(range(len(chosen)), [f"{row[0]}, {row[1]:,} columns" for row in chosen])
    axes.tick_params(axis="x", labelsize=8)
    axes.set_ylabel("share of tables with a wrong member")


def draw_calibration(figure: Any, record: dict[str, Any]) -> None:
    """Draw how many settings each test of categories misses."""
    columns, rows = _table(record, "Categories: share of red cells")
    axes = figure.subplots()
    place, cells = columns.index("too high at .05"), columns.index("cells")
    shares = [100 * row[place] / row[cells] for row in rows]
    axes.barh([row[0] for row in rows], shares, color=[OURS] + [OTHERS] * (len(rows) - 1))
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("settings in which too much is called dependent at .05, %")


def draw_scatter(figure: Any, record: dict[str, Any]) -> None:
    """Draw the rows of each data set on the first two features that FSMB keeps."""
    every = record["drawn"]
    for axes, (name, drawn) in zip(figure.subplots(1, len(every)), every.items(), strict=True):
        for code, colour, marker in ((0, OTHERS, "o"), (1, OURS, "+")):
            points = [point[1:] for point in drawn["points"] if point[0] == code]
            n_rows = sum(point[2] for point in points)
            shift = 0.04 * (2 * code - 1) if len(points) <= 4 else 0.0  # classes on one point
            axes.scatter(
                [x + shift for x, _, _ in points],
                [y for _, y, _ in points],
                s=[25 * n**0.5 if len(points) <= 4 else 25 for _, _, n in points],
                c=colour,
                marker=marker,
                linewidths=1,
                label=f"class {code}, {n_rows:,} rows",
            )
        axes.set_xlabel(drawn["names"][0])
        axes.set_ylabel(drawn["names"][1])
        axes.set_title(name, fontsize=10)
        axes.margins(0.2)
        axes.legend(frameon=False, fontsize=7, loc="best", markerscale=0.5)


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)


PERFORMANCE = {
    "local_peers": Picture(
        "performance-local.svg",
        "Seconds and F1 of searches around targets, Eiderdown and others",
        "",
        draw_local,
    ),
    "structure_peers": Picture(
        "performance-networks.svg",
        "Seconds and distance from the true CPDAG of whole networks, Eiderdown and others",
        "",
        draw_networks,
    ),
}
SCALE = {
    "scale": Picture("scale-rows.svg", "Seconds against rows, 50 columns", "", draw_rows),
    "wide": Picture("scale-columns.svg", "Seconds against columns, by table", "", draw_columns),
}
PICTURES = {
    "pena2007_thrombin": Picture(
        "experiment-thrombin.svg",
        "How well the boundaries of 114 runs of KIAMB predict",
        "Thrombin, kiamb",
        draw_runs,
    ),
    "prediction": Picture(
        "experiment-prediction.svg",
        "Mean score against the share of the columns that is kept",
        "All tables",
        draw_prediction,
    ),
    "brown2009_manipulation": Picture(
        "experiment-intervention.svg",
        "Prediction when a known half of the columns was set",
        "Test 1, ",
        draw_intervention,
    ),
    "brown2009_real": Picture(
        "experiment-scatter.svg",
        "Rows on the first two features that FSMB keeps, by class; the more rows, the larger",
        "All rows on the first two features",
        draw_scatter,
    ),
    "false_discoveries": Picture(
        "experiment-false-discoveries.svg",
        "How often IAMB at alpha .05 finds something where there is nothing",
        "Drawn tables in which no column matters",
        draw_false_discoveries,
    ),
    "calibration": Picture(
        "experiment-calibration.svg",
        "Settings in which tests of categories call too much dependent",
        "Categories: share of red cells",
        draw_calibration,
    ),
}


def save(picture: Picture, record: dict[str, Any]) -> None:
    """Draw one picture."""
    import matplotlib

    matplotlib.use("svg")
    plain = {"svg.hashsalt": "eiderdown", "svg.fonttype": "none", "font.size": 9}
    with matplotlib.rc_context(plain):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.0, 2.8), layout="constrained")
        picture.draw(figure, record)
        for axes in figure.axes:
            axes.spines[["top", "right"]].set_visible(False)
        written = StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    lines = (line.strip() for line in written.getvalue().splitlines())
    (FOLDER / picture.file).write_text("\n".join(filter(None, lines)) + "\n", encoding="utf-8")


def main() -> None:
    """Draw all whose numbers are there."""
    for folder, pictures in ((BENCHMARKS, PERFORMANCE | SCALE), (EXPERIMENTS, PICTURES)):
        for name, picture in pictures.items():
            path = folder / f"{name}.json"
            if path.exists():
                save(picture, json.loads(path.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
