"""The pictures of docs/notebooks.md: a boundary of Alarm as a graph and as evidence, two SVGs.

The same numbers give the same files, with one version of Matplotlib. ``python
tools/notebook_pictures.py`` writes them.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

from eiderdown import find_boundary, networks

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
PLAIN = {"svg.hashsalt": "eiderdown", "svg.fonttype": "none"}


def main() -> None:
    """Draw them."""
    data = networks.load("alarm").sample(5_000, random_state=0)
    found = find_boundary(data, target="HR", progress=False)
    with matplotlib.rc_context(PLAIN):
        for what in ("graph", "evidence"):
            path = PICTURES / f"notebook-{what}.svg"
            metadata = {"Date": None, "Creator": None}
            found.plot(what).figure.savefig(path, format="svg", metadata=metadata)


if __name__ == "__main__":
    main()
