"""Results of many targets of one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from eiderdown.errors import OptionError
from eiderdown.graphs import Skeleton
from eiderdown.results.local import LocalResult, MarkovBoundary, ParentsChildren
from eiderdown.results.stored import Stored

_KINDS: dict[str, type[LocalResult]] = {
    f"eiderdown.{kind.kind}": kind for kind in (MarkovBoundary, ParentsChildren)
}


@dataclass(frozen=True)
class AllBoundaries(Stored, Mapping[str, LocalResult]):
    """Results of many targets of one table, by name of the target.

    Attributes
    ----------
    results : mapping of str to LocalResult
        One result for each target.
    warnings : tuple of str
        What was left out, or that the search was interrupted.
    complete : bool
        False if the search was interrupted and some targets are missing.
    """

    kind = "all_boundaries"

    results: Mapping[str, LocalResult]
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def __getitem__(self, target: str) -> LocalResult:
        return self.results[target]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def skeleton(self) -> Skeleton:
        """Join every target with its parents and children, where both sides agree.

        Needs a search that tells parents and children from spouses.
        """
        around = {}
        for target, result in self.results.items():
            if result.parents_children is None:
                raise OptionError(
                    f"{result.run.algorithm!r} does not tell parents and children from spouses; "
                    "use a search that does, such as 'pcmb' or 'get_pc'."
                )
            around[target] = set(result.parents_children)
        edges = [
            (x, y) for x in around for y in around if x < y and y in around[x] and x in around[y]
        ]
        return Skeleton(tuple(around), edges)

    def _fields(self) -> dict[str, Any]:
        return {
            "results": [result.to_dict() for result in self.results.values()],
            "warnings": self.warnings,
            "complete": self.complete,
        }

    @classmethod
    def _of_fields(cls, fields: dict[str, Any]) -> Self:
        results = [_KINDS[item["format"]].from_dict(item) for item in fields["results"]]
        by_target = {result.target: result for result in results}
        return cls(by_target, tuple(fields["warnings"]), fields["complete"])
