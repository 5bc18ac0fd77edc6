"""The monomials of a support vector machine, as a table and as a bar plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eiderdown.errors import OptionError
from eiderdown.report.text import say

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from eiderdown.estimators.explainer import SVMExplanation
    from eiderdown.svm.weights.top_k import TopMonomials

_LONGEST_LABEL = 45
_POSITIVE, _NEGATIVE = "#4c6a92", "#b5654a"
_STOPPED = {
    "monomials": "the search stopped at its limit of monomials",
    "seconds": "the search stopped at its limit of seconds",
    "interrupted": "the search was interrupted",
}


def render_explanation(explanation: SVMExplanation, console: Console) -> None:
    """Print the monomials of largest weight, how sure they are, and the function if it is small."""
    model = explanation.model
    say(
        console,
        f"Polynomial SVM of degree {model.degree} with {model.n_vectors:,} support vectors, "
        f"{explanation.about}",
    )
    if explanation.after:
        say(console, f"Columns are as they come out of {', '.join(explanation.after)}.")
    console.print(_monomial_table(explanation))
    say(console, certainty(explanation.top))
    try:
        say(console, explanation.decision_function_text())
    except OptionError:  # too long for people
        return


def certainty(top: TopMonomials) -> str:
    """Say how many monomials were built of how many, and whether those shown are proven the top.

    Parameters
    ----------
    top : TopMonomials
        What a search returned.
    """
    built = f"{top.method}: {top.n_built:,} of {top.n_total:,} monomials built"
    if top.proven:
        return f"{built}; these {len(top.monomials):,} are proven to have the largest weights."
    why = f" because {_STOPPED[top.stopped]}" if top.stopped else ""
    sure = f"only the first {top.n_proven:,} are" if top.n_proven else "none of these is"
    return (
        f"{built}; {sure} proven to be at the top{why}: a monomial that was not built may weigh up "
        f"to {top.unseen:.4g}."
    )


def plot_weights(explanation: SVMExplanation, ax: Axes | None = None) -> Axes:
    """Draw the weights of the monomials as bars, the largest on top.

    Parameters
    ----------
    explanation : SVMExplanation
        What to draw.
    ax : matplotlib.axes.Axes or None
        Where to draw; None for a new figure.
    """
    monomials = explanation.monomials
    if ax is None:
        from matplotlib.figure import Figure

        height = 1.2 + 0.25 * len(monomials)
        ax = Figure(figsize=(8, height), layout="constrained").subplots()
    weights = [monomial.weight for monomial in monomials]
    places = list(range(len(monomials)))
    colours = [_NEGATIVE if weight < 0.0 else _POSITIVE for weight in weights]
    ax.barh(places, weights, color=colours)
    ax.set_yticks(places, [_label(monomial.name) for monomial in monomials], fontsize=8)
    ax.invert_yaxis()
    ax.axvline(0.0, color="black", linewidth=0.8)
    ax.set_xlabel("weight")
    ax.set_title(explanation.about, fontsize=10)
    return ax


def _monomial_table(explanation: SVMExplanation) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("monomial", overflow="fold")
    for heading in ("weight", "coefficient", "degree", "proven"):
        table.add_column(heading, justify="right", no_wrap=True)
    for position, monomial in enumerate(explanation.monomials):
        table.add_row(
            Text(monomial.name),
            f"{monomial.weight:.4g}",
            f"{monomial.coefficient:.4g}",
            str(monomial.degree),
            "yes" if position < explanation.top.n_proven else "no",
        )
    return table


def _label(name: str) -> str:
    return name if len(name) <= _LONGEST_LABEL else f"{name[: _LONGEST_LABEL - 1]}…"
