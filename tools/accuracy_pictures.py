"""The pictures of docs/accuracy.md: boundary F1 against rows, a line for each search.

One small SVG for each network, with texts as texts. The same numbers give the same file, with one
version of Matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from io import StringIO
from pathlib import Path
from typing import Any

SHOWN = {  # search -> colour and dashes; those that were not measured are left out
    "default": ("#c1121f", "-"),
    "iamb": ("#333333", "-"),
    "fbed": ("#8a8a8a", "--"),
    "bamb": ("#2a6f97", "-"),
    "pcmb": ("#2a9d8f", "-"),
    "pcmb symmetry=or": ("#2a9d8f", "--"),
    "consensus": ("#c1121f", ":"),
    "graph: ges bic": ("#e09f3e", "-"),
    "graph: ges_restarts bic": ("#e09f3e", "--"),
    "graph: pybnesian hill climbing": ("#7b5ea7", "--"),
    "graph: xges": ("#7b5ea7", ":"),
}
SIZE = (6.0, 3.2)
Curve = tuple[str, list[int], list[float]]


def curves(measured: Any, network: str) -> list[Curve]:
    """Return what is drawn of a network: search, rows, mean F1 over its samples."""
    found = []
    for search in SHOWN:
        own = [key for key in measured.tables("boundary", search) if key[0] == network]
        rows = sorted({key[1] for key in own})
        means = [measured.mean("boundary", search, [k for k in own if k[1] == n]) for n in rows]
        if rows:
            found.append((search, rows, means))
    return found


def draw(title: str, lines: Iterable[Curve], path: Path) -> None:
    """Draw one picture."""
    import matplotlib

    matplotlib.use("svg")
    plain = {"svg.hashsalt": "eiderdown", "svg.fonttype": "none", "font.size": 9}
    with matplotlib.rc_context(plain):
        from matplotlib.figure import Figure

        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        for search, rows, means in lines:
            colour, dashes = SHOWN[search]
            width = 2.2 if search == "default" else 1.2
            axes.plot(rows, means, dashes, color=colour, linewidth=width, label=search)
        _label(axes, title)
        written = StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    lines = (line.strip() for line in written.getvalue().splitlines())
    path.write_text("\n".join(filter(None, lines)) + "\n", encoding="utf-8")


def _label(axes: Any, title: str) -> None:
    ticks = [100, 200, 500, 1_000, 5_000, 20_000]
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{n:,}" for n in ticks])
    axes.set_xticks([], minor=True)
    axes.set_ylim(0, 1)
    axes.set_xlabel("rows")
    axes.set_ylabel("boundary F1")
    axes.set_title(title, fontsize=10)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)


def picture_name(network: str) -> str:
    """Return the name of a network's picture."""
    return f"accuracy-{network}.svg"


def draw_all(
    drawn: Iterable[tuple[str, str, list[Curve]]], folder: Path, say: Callable[[str], None] = print
) -> None:
    """Draw the pictures of all networks, and remove those of others."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = set()
    for network, title, lines in drawn:
        wanted.add(picture_name(network))
        draw(title, lines, folder / picture_name(network))
    for path in folder.glob("accuracy-*.svg"):
        if path.name not in wanted:
            say(f"{path} is of no measured network; removed.")
            path.unlink()
