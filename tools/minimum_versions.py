"""Print the lowest versions that pyproject.toml declares, as constraints for pip."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
_FLOOR = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^]]*\])?>=([0-9.]+)")


def minimum_versions(text: str) -> list[str]:
    """Return ``name==version`` for each dependency, and each extra of users, with a floor."""
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["excel"], *extras["polars"], *extras["dask"]]
    floors = [_FLOOR.fullmatch(requirement) for requirement in wanted]
    if None in floors:
        raise ValueError(f"a dependency has no floor: {wanted[floors.index(None)]}")
    return [f"{floor[1]}=={floor[2]}" for floor in floors if floor is not None]


if __name__ == "__main__":
    sys.stdout.write("\n".join(minimum_versions(PROJECT.read_text(encoding="utf-8"))) + "\n")
