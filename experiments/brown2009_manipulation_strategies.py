"""The five ways to choose columns that ``brown2009_manipulation.py`` compares.

all          every column, whatever was set
boundary     MB(T), whatever was set
thesis       section V.2.6: the boundary of MMMB; parents from one run of RegionMMHC and from
Y-tests, in the thesis's order
default      what CausalPredictor uses
oracle       MB(T), MB_M(T) or the unconfounded parents, read off the true graph
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from brown2009_manipulation_networks import Study
from sklearn.linear_model import LogisticRegression, Ridge

from eiderdown import find_boundary, learn_region
from eiderdown.data import Dataset, Kind
from eiderdown.estimators import CausalPredictor
from eiderdown.graphs import PDAG
from eiderdown.manipulation import blanket_under
from eiderdown.manipulation.orientation import thesis_parents
from eiderdown.results import NeighbourRole, Orientation

STRATEGIES = ("all", "boundary", "thesis", "default", "oracle")
REGION_DEPTH = 2  # RegionMMHC searches one ring more: the thesis's depth of three
CANDIDATES = ("boundary",)  # its comparison with other sets is not what is studied here

Manipulated = tuple[str, ...] | str | None


@dataclass
class Strategies:
    """All strategies for one target, learned from one table."""

    study: Study
    train: Dataset
    target: str

    def columns(self, strategy: str, manipulated: Manipulated) -> tuple[str, ...]:
        """Return the columns that a strategy uses, told what was set."""
        if strategy == "all":
            return tuple(self.study.observed(self.target))
        if strategy == "boundary":
            return tuple(self.predictor.boundary_.members)
        if strategy == "default":
            return self.predictor.used_columns(manipulated)
        if strategy == "oracle":
            known = blanket_under(
                self.study.dag, manipulated, target=self.target, hidden=self.study.hidden
            )
            return known.columns
        return self._of_the_thesis(manipulated)

    @cached_property
    def predictor(self) -> CausalPredictor:
        """Our predictor, fitted."""
        frame = self.train.to_pandas()
        is_class = self.train.kind(self.train.index(self.target)) is Kind.DISCRETE
        model = LogisticRegression(max_iter=200) if is_class else Ridge(alpha=1.0)
        task = "classification" if is_class else "regression"
        predictor = CausalPredictor(estimator=model, candidates=CANDIDATES, task=task)
        return predictor.fit(frame.drop(columns=self.target), frame[self.target])

    @property
    def orientation(self) -> Orientation:
        """Causes and effects as the predictor found them."""
        return self.predictor.orientation_

    @cached_property
    def _mmmb(self) -> tuple[str, ...]:
        found = find_boundary(self.train, self.target, algorithm="mmmb", progress=False)
        return tuple(found.members)

    @cached_property
    def _region(self) -> PDAG:
        """One run of RegionMMHC: BDeu for categories, kernel generalised variance for others."""
        kinds = {self.train.kind(i) for i in range(len(self.train.names))}
        found = learn_region(
            self.train,
            self.target,
            depth=REGION_DEPTH,
            algorithm="region_mmhc",
            score="bdeu" if kinds == {Kind.DISCRETE} else "kgv",
            progress=False,
        )
        return found.cpdag

    def _of_the_thesis(self, manipulated: Manipulated) -> tuple[str, ...]:
        if manipulated is None:
            return self._mmmb
        near = self._region.adjacent(self.target)
        parents = thesis_parents(map(self._role, sorted(near)), self._region, self.target)
        if manipulated == "unknown":
            return tuple(parents)
        children = near - set(parents) - set(manipulated)
        spouses = {s for child in children for s in self._region.parents(child)} - {self.target}
        return tuple(sorted(set(parents) | children | spouses))

    def _role(self, name: str) -> NeighbourRole:
        """Return the Y-tests about a neighbour."""
        return self.orientation.neighbour(name) or NeighbourRole(name, 0.0, 0.0, 1.0)


def y_test_counts(
    study: Study, orientation: Orientation, unconfounded: Collection[tuple[str, str]]
) -> dict[str, int]:
    """Count the edges that Y-tests made causal, those that are, and those that could be found."""
    found = {(y.c, y.d) for y in orientation.y_structures}
    return {
        "found": len(found),
        "right": len(found & set(unconfounded)),
        "findable": len(findable := _findable(study, orientation.target)),
        "found of them": len(found & findable),
    }


def _findable(study: Study, target: str) -> set[tuple[str, str]]:
    """Return the target's edges c -> d that a Y-test shows where all nodes are seen.

    Two parents of c that are not adjacent to each other, nor to d, are needed.
    """
    dag = study.dag
    if study.hidden:
        return set()
    edges = [(p, target) for p in dag.parents(target)] + [(target, c) for c in dag.children(target)]
    found = set()
    for c, d in edges:
        sources = [a for a in dag.parents(c) if d not in dag.adjacent(a)]
        if any(b not in dag.adjacent(a) for a in sources for b in sources if a != b):
            found.add((c, d))
    return found
