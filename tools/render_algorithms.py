"""Write the table of algorithms in docs/algorithms/index.md from the registries.

Run it after registering an algorithm; ``tests/docs/test_algorithm_table.py`` fails when the page
does not match the registries. Usage::

    .venv/bin/python tools/render_algorithms.py
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from eiderdown.boundary import BOUNDARY_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS
from eiderdown.options import options_of
from eiderdown.registry import Algorithm
from eiderdown.structure import NETWORK_ALGORITHMS, REGION_ALGORITHMS

PAGE = Path(__file__).parents[1] / "docs" / "algorithms" / "index.md"
BEGIN = "<!-- begin: tools/render_algorithms.py -->\n"
END = "<!-- end: tools/render_algorithms.py -->\n"


def tables() -> str:
    """Return all tables."""
    return f"""## Markov boundaries

For `find_boundary(data, target=..., algorithm=...)`.

{_table(BOUNDARY_ALGORITHMS)}
## Parents and children

For `find_parents_children(data, target=..., algorithm=...)`.

{_table(PARENTS_CHILDREN_ALGORITHMS)}
## Regions

For `learn_region(data, target=..., depth=..., algorithm=...)`.

{_table(REGION_ALGORITHMS)}
## Whole networks

For `learn_network(data, algorithm=...)`.

{_table(NETWORK_ALGORITHMS)}"""


def with_tables(page: str) -> str:
    """Return the page with its rendered part made anew."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{tables()}{END}{after}"


def _table(entries: Iterable[Algorithm[..., Any]]) -> str:
    heading = (
        "| name | what it does | assumes | exact | options | paper |\n|---|---|---|---|---|---|\n"
    )
    return heading + "".join(_row(entry) for entry in entries)


def _row(entry: Algorithm[..., Any]) -> str:
    cells = [
        f"[`{entry.name}`]({entry.name}.md)",
        entry.summary,
        ", ".join(entry.assumes) or "nothing",
        "yes" if entry.exact else "no",
        "; ".join(_options(entry)) or "none",
        entry.paper,
    ]
    return f"| {' | '.join(cells)} |\n"


def _options(entry: Algorithm[..., Any]) -> Iterator[str]:
    for declared in options_of(entry.function).values():
        yield f"`{declared.name}={declared.default!r}`: {declared.help}"


def main() -> None:
    """Write the page."""
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
