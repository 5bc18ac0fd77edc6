"""Write docs/reference/*.md: a page for each public part of the library, all its names in order.

The pages only name what is to be shown; ``make docs`` fills them from the docstrings. The test
``tests/docs/test_site.py`` fails when a public name is missing. Usage::

    python tools/render_reference.py
"""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import eiderdown

_OPENING = """Every public name, with what its docstring says. The pages are made by
`tools/render_reference.py` and filled by `make docs`; in Python `help(...)` says the same."""
FOLDER = Path(__file__).parents[1] / "docs" / "reference"


class Area(NamedTuple):
    """A page: its file, its title, what it says first, the modules whose names it shows."""

    file: str
    title: str
    opening: str
    modules: tuple[str, ...]


AREAS = (
    Area(
        "verbs",
        "Verbs",
        "One function for each question. They take any table, and give back a "
        "[result](results.md). What stands here can be imported from `eiderdown` itself.",
        ("api",),
    ),
    Area(
        "results",
        "Results",
        "What the verbs give back: plain records with their evidence, which are saved as JSON and "
        "read again by `load_result`.",
        ("results",),
    ),
    Area(
        "estimators",
        "Estimators",
        "Selectors, discretisers and predictors for [pipelines](../pipelines.md) of scikit-learn.",
        ("estimators",),
    ),
    Area(
        "data", "Data", "Tables and the kinds of their columns; see [data](../data.md).", ("data",)
    ),
    Area(
        "networks",
        "Networks",
        "Bayesian networks to sample from and to intervene on, and those that come with Eiderdown; "
        "see [graphs and networks](../graphs-and-networks.md).",
        ("networks",),
    ),
    Area("graphs", "Graphs", "DAGs, PDAGs and distances between them.", ("graphs",)),
    Area(
        "knowledge",
        "Knowledge",
        "What is known of a graph beforehand; see [networks and regions](../structure.md).",
        ("knowledge",),
    ),
    Area(
        "tests",
        "Tests of independence",
        "The tests and how to ask them; see [evidence](../evidence.md). Names in capitals are what "
        '`test=` takes, and can be configured: `G_SQUARE(dof="nominal")`.',
        ("independence",),
    ),
    Area(
        "scores",
        "Scores",
        "The scores; see [scores](../scores.md). Names in capitals are what `score=` takes.",
        ("scores",),
    ),
    Area(
        "searches",
        "Searches",
        "The algorithms by themselves. Names in capitals are what `algorithm=` takes; each has a "
        "[page](../algorithms/index.md).",
        ("boundary", "structure"),
    ),
    Area(
        "svm",
        "Polynomial SVMs",
        "Monomials and their weights; see [reading an SVM](../reading-an-svm.md).",
        ("svm",),
    ),
    Area(
        "confidence",
        "Confidence",
        "Feature analysis of many models; see [confidence](../confidence.md).",
        ("confidence",),
    ),
    Area(
        "manipulation",
        "Manipulation",
        "What is left of a boundary when columns are set; see [intervention](../intervention.md).",
        ("manipulation",),
    ),
    Area(
        "export",
        "Export",
        "Graphs for other programs, and back; see [export](../export.md).",
        ("export",),
    ),
    Area(
        "testing",
        "Conformance checks",
        "The exam for a test or a search of your own; see [extending](../extending.md).",
        ("testing",),
    ),
    Area(
        "errors",
        "Errors and warnings",
        "All errors are an `EiderdownError`; see [every error](../data.md) and [what a warning "
        "means](../warnings.md).",
        ("errors",),
    ),
)


def public_names(module: ModuleType) -> list[str]:
    """Return the public names of a module: those that it lists, or the classes that it defines."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return list(listed)
    return [
        name
        for name, item in vars(module).items()
        if inspect.isclass(item) and not name.startswith("_") and item.__module__ == module.__name__
    ]


def page(area: Area) -> str:
    """Return the text of a page."""
    parts = [f"# {area.title}", area.opening]
    for part in area.modules:
        module = import_module(f"eiderdown.{part}")
        names = public_names(module)
        parts += [f"## eiderdown.{part}"] if len(area.modules) > 1 else []
        for kind in (inspect.isfunction, inspect.isclass, _is_constant):
            chosen = sorted(name for name in names if kind(getattr(module, name)))
            parts += [f"::: {shortest_path(part, name)}" for name in chosen]
    return "\n\n".join(parts) + "\n"


def shortest_path(part: str, name: str) -> str:
    """Return how a name is imported: from the package itself, where it has it."""
    shared = name in eiderdown.__all__ and not inspect.ismodule(getattr(eiderdown, name))
    return f"eiderdown.{name}" if shared else f"eiderdown.{part}.{name}"


def index() -> str:
    """Return the text of the first page, which leads to the others."""
    rows = [f"| [{area.title}]({area.file}.md) | {_names(area)} |" for area in AREAS]
    return "\n".join(["# Reference", "", _OPENING, "", "| page | names |", "|---|---|", *rows, ""])


def _names(area: Area) -> str:
    found = [public_names(import_module(f"eiderdown.{part}")) for part in area.modules]
    return ", ".join(f"`{name}`" for names in found for name in sorted(names))


def _is_constant(item: object) -> bool:
    return not inspect.isfunction(item) and not inspect.isclass(item)


def main() -> None:
    """Write all pages."""
    (FOLDER / "index.md").write_text(index(), encoding="utf-8")
    for area in AREAS:
        (FOLDER / f"{area.file}.md").write_text(page(area), encoding="utf-8")


if __name__ == "__main__":
    main()
