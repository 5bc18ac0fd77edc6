"""What each kind of result says of itself; :mod:`eiderdown.report.summary` joins the sentences.

Nothing here is computed but what a result already holds, put in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from eiderdown.graphs.ancestral import drawn, said
from eiderdown.report.names import (
    N_IN_A_LINE,
    N_IN_LINES,
    in_brackets,
    listed,
    name,
    quoted,
    sentence,
)
from eiderdown.report.ordering import by_levels, edge_strength
from eiderdown.report.text import counted
from eiderdown.results import (
    AllBoundaries,
    Boundaries,
    BoundaryCheck,
    BoundaryPath,
    EdgeStability,
    Evidence,
    FeatureConfidence,
    IndependenceAnswer,
    Interactions,
    LearnedEdge,
    LearnedGraph,
    LearnedRegion,
    LearnedSkeleton,
    LocalResult,
    MarkovBoundary,
    OptimaBySize,
    Orientation,
    ParentsChildren,
    Predictions,
    Result,
    ResultChanges,
    SelectorComparison,
)

_N_PROBLEMS = 5


@singledispatch
def about(result: Result) -> str:
    """Say of whom and what: what follows the kind of result in a line."""
    return f"of {quoted(result.target)}" if hasattr(result, "target") else ""


@singledispatch
def findings(result: Result) -> list[str]:  # noqa: ARG001
    """Say more of what was found, and how sure that is, in sentences."""
    return []


@singledispatch
def reservations(result: Result) -> list[str]:  # noqa: ARG001
    """Say what is to be doubted beyond the warnings."""
    return []


@about.register
def _(result: LocalResult) -> str:
    size = counted(len(result.members), "member") if result.members else "empty"
    return f"of {quoted(result.target)}: {size}{in_brackets(result.members)}"


@findings.register
def _(result: LocalResult) -> list[str]:
    found = [*_roles(result), *_strongest_and_weakest(result)]
    misses = [item for item in result.evidence if item.decision != "kept"]
    if misses:
        nearest = min(misses, key=lambda item: (item.log_p, item.variable))
        found.append(f"Nearest miss: {_with_p(nearest)}{_given(nearest.given)}.")
    if isinstance(result, MarkovBoundary) and result.prediction is not None:
        found.append(sentence(result.prediction.sentence(name(result.target))))
    return found


def _roles(result: LocalResult) -> list[str]:
    if not result.members or not result.parents_children or isinstance(result, ParentsChildren):
        return []
    adjacent = [member for member in result.members if member in set(result.parents_children)]
    said = [f"Parents or children: {listed(adjacent)}."]
    spouses = [f"{name(x)} via {name(child)}" for x, child in result.spouses.items()]
    return said + ([f"Spouses: {listed(spouses)}."] if spouses else [])


def _strongest_and_weakest(result: LocalResult) -> list[str]:
    kept = sorted(result.evidence_with("kept"), key=lambda item: (item.log_p, item.variable))
    if not kept:
        return []
    alpha = result.run.options.get("alpha")
    level = f", at alpha {alpha:g}" if isinstance(alpha, int | float) else ""
    if len(kept) == 1:
        return [f"Its evidence: {_with_p(kept[0])}{level}."]
    return [f"Strongest: {_with_p(kept[0])}. Weakest: {_with_p(kept[-1])}{level}."]


def _with_p(item: Evidence) -> str:
    return f"{name(item.variable)} (p {item.p_text})"


def _given(names: Sequence[str]) -> str:
    return f" given {listed(names, N_IN_A_LINE)}" if names else ""


@reservations.register
def _(result: LocalResult) -> list[str]:
    options = result.run.options
    level = options.get("level", options.get("alpha", 1.0))
    answers = {item.variable: item.answer(level) for item in result.evidence_with("kept")}
    unsure = [member for member, answer in answers.items() if answer == "cannot say"]
    unseen = [member for member, answer in answers.items() if answer == "independent"]
    found = [f"Insufficient data to be sure of: {listed(unsure)}."] if unsure else []
    if unseen:
        found.append(f"Kept although their own tests say independent: {listed(unseen)}.")
    likely = {x: result.probabilities[x] for x in result.members if x in result.probabilities}
    doubtful = sorted((share, x) for x, share in likely.items() if share < 0.9)
    if doubtful:
        shown = [f"{name(member)} ({share:.0%})" for share, member in doubtful]
        found.append(f"Less likely members: {listed(shown)}.")
    return found


@about.register
def _(result: AllBoundaries) -> str:
    n_members = sum(len(found.members) for found in result.values())
    targets = counted(len(result), "target")
    return f": {targets}{in_brackets(tuple(result))} with {counted(n_members, 'member')} in all"


@findings.register
def _(result: AllBoundaries) -> list[str]:
    sizes = sorted(((len(found.members), x) for x, found in result.items()), reverse=True)
    shown = [f"{name(target)} ({size})" for size, target in sizes]
    return [f"Most members: {listed(shown, N_IN_A_LINE)}."] if sizes else []


@about.register
def _(result: Boundaries) -> str:
    n = len(result)
    distinct = "1 boundary" if n == 1 else f"{n:,} distinct boundaries"
    return f"of {quoted(result.target)}: {distinct} in {counted(result.n_runs, 'run')}"


@findings.register
def _(result: Boundaries) -> list[str]:
    if not result.alternatives:
        return []
    first = result.alternatives[0]
    found = [f"Most frequent ({first.n_runs / result.n_runs:.0%}): {listed(first.members)}."]
    always = [member for member, n in result.member_counts.items() if n == result.n_runs]
    found.append(f"In every run: {listed(always)}.")
    groups = result.interchangeable[:N_IN_A_LINE]
    return found + [f"Stand for each other: {listed(group)}." for group in groups]


@about.register
def _(result: LearnedGraph) -> str:
    where = ""
    if isinstance(result, LearnedRegion):
        where = f"within {counted(result.depth, 'step')} of {quoted(result.target)}"
    sort = ", a CPDAG" if result.is_cpdag else ""
    size = f"{counted(len(result.nodes), 'column')} and {counted(len(result.edges), 'edge')}{sort}"
    return f"{where}: {size}"


@findings.register
def _(result: LearnedGraph) -> list[str]:
    compelled = sum(edge.compelled for edge in result.edges)
    found = [f"{compelled:,} of {counted(len(result.edges), 'edge')} with a compelled direction."]
    if result.score is not None:
        found.append(f"Score: {result.score:,.2f}.")
    edges = sorted(result.edges, key=edge_strength)
    if edges:
        strong, weak = edge_evidence(edges[0]), edge_evidence(edges[-1])
        found.append(f"Strongest edge: {strong}. Weakest: {weak}.")
    return [*found, *marks_in_words(edges)]


def marks_in_words(edges: Sequence[LearnedEdge]) -> list[str]:
    """Say which edges decide about causes where hidden variables may be some, and of how many."""
    marked = [(edge, edge.ends) for edge in edges if edge.ends is not None]
    if not marked:
        return []
    n_open = [ends.count("circle") for _, ends in marked]
    sure = [(edge, ends) for edge, ends in marked if "circle" not in ends]
    n_shared = sum(ends == ("arrow", "arrow") for _, ends in sure)
    return [
        f"If hidden variables may be causes: of {counted(len(marked), 'edge')} "
        f"{len(sure) - n_shared:,} between a cause and an effect, {n_shared:,} with a hidden "
        f"common cause, {n_open.count(1):,} with one way ruled out, {n_open.count(2):,} open.",
        *(
            f"{name(edge.left)} {drawn(ends)} {name(edge.right)}: "
            f"{said(name(edge.left), ends, name(edge.right))}."
            for edge, ends in sure[:N_IN_A_LINE]
        ),
    ]


def edge_evidence(edge: LearnedEdge) -> str:
    """Write an edge with what speaks for it."""
    shown = f"{name(edge.left)} {'->' if edge.directed else '--'} {name(edge.right)}"
    if edge.test is not None:
        return f"{shown} (p {edge.test.p_text})"
    return shown if edge.gain is None else f"{shown} (gain {edge.gain:,.1f})"


@about.register
def _(result: EdgeStability) -> str:
    return f": {counted(len(result), 'edge')} in {counted(result.n_resamples, 'resample')}"


@findings.register
def _(result: EdgeStability) -> list[str]:
    often = [edge for edge in result if edge.adjacent >= 0.5]
    shown = [f"{name(e.left)}, {name(e.right)} ({e.adjacent:.0%})" for e in often]
    joined = "; ".join(shown[:N_IN_A_LINE])
    more = f" and {len(often) - N_IN_A_LINE:,} more" if len(often) > N_IN_A_LINE else ""
    return [f"In at least half of the resamples: {joined or 'none'}{more}."]


@about.register
def _(result: FeatureConfidence) -> str:
    where = "" if result.target is None else f"around {quoted(result.target)}"
    models = counted(result.n_distinct, "distinct model")
    return f"{where}: {models} in {counted(result.n_runs, 'run')}"


@findings.register
def _(result: FeatureConfidence) -> list[str]:
    found = []
    for group in result.groups:
        least = result.suggested_threshold(group)
        errors = result.counts_at(group, least)
        found.append(
            f"At a confidence of {least:.2f}, {group}: {errors.true_positives:,} in the reference, "
            f"{errors.false_positives:,} not in it, {errors.false_negatives:,} missed."
        )
    if result.target is not None:
        members = result.boundary(result.target)
        shown = [f"{name(member)} ({share:.0%})" for member, share in members.items()]
        found.append(f"Boundary of {quoted(result.target)}: {listed(shown)}.")
    return found


@about.register
def _(result: LearnedSkeleton) -> str:
    return f": {counted(result.n_edges, 'edge')} of {counted(result.n_finished, 'column')}"


@findings.register
def _(result: LearnedSkeleton) -> list[str]:
    done = f"{result.n_finished:,} of {result.n_targets:,} columns are done"
    found = [f"The edges are in {name(result.path, 200)}; {done}."]
    if result.n_one_sided:
        pairs = counted(result.n_one_sided, "pair")
        found.append(f"Of {pairs} only one side has found the other; they are no edges.")
    return found


@about.register
def _(result: OptimaBySize) -> str:
    return f": {counted(len(result.counts), 'sample')}"


@findings.register
def _(result: OptimaBySize) -> list[str]:
    means = [f"{100 * share:g} %: {mean:,.1f}" for share, mean in result.mean_by_share().items()]
    return [f"Mean of distinct models by share of the rows: {listed(means)}."] if means else []


@about.register
def _(result: Orientation) -> str:
    counts = [
        f"{counted(len(result.causes), 'cause')}{in_brackets(result.causes)}",
        f"{counted(len(result.effects), 'effect')}{in_brackets(result.effects)}",
        f"{len(result.undecided)} undecided{in_brackets(result.undecided)}",
    ]
    return f"of {quoted(result.target)}: {', '.join(counts)}"


@findings.register
def _(result: Orientation) -> list[str]:
    if not result.neighbours:
        return [f"Nothing depends on it ({sentence(result.engine)})."]
    found = [f"Directed by {sentence(result.engine)}."]
    for role in result.neighbours[:N_IN_LINES]:
        shares = f"cause {role.cause:.0%}, effect {role.effect:.0%}"
        why = sentence(role.why)
        found.append(f"  {role.role}: {name(role.name)} ({shares}). {why}".rstrip())
    for spouse in result.spouses[:N_IN_LINES]:
        through = listed(spouse.children, N_IN_A_LINE)
        found.append(f"  spouse: {name(spouse.name)} through {through} ({spouse.probability:.0%})")
    return found


@about.register
def _(result: Predictions) -> str:
    rows, used = counted(len(result), "row"), result.used.columns
    columns = f"{counted(len(used), 'column')}{in_brackets(used)}"
    return f"of {quoted(result.target)}: {rows} from {columns}"


@findings.register
def _(result: Predictions) -> list[str]:
    left_out = result.used.left_out
    found = [f"Not used: {listed(left_out)}."] if left_out else []
    if result.score is not None:
        measure = "AUC" if result.task == "classification" else "R2"
        found.append(f"{measure} on these rows: {result.score:.3f}.")
    return found


@reservations.register
def _(result: Predictions) -> list[str]:
    return [] if result.used.offence is None else [f"Beware: {sentence(result.used.offence)}"]


@about.register
def _(result: Interactions) -> str:
    names = [monomial.name for monomial in result.monomials]
    variables = counted(len(result.variables), "column")
    monomials = f"{counted(len(names), 'monomial')}{in_brackets(names)}"
    return f"around {quoted(result.target)}: {monomials} of {variables}"


@findings.register
def _(result: Interactions) -> list[str]:
    found = [f"Columns: {listed(result.variables)}."]
    if result.svm is not None and result.svm.score is not None:
        score = result.svm.score
        found.append(
            f"SVM of degree {result.svm.degree}: {score.measure} {score.mean:.3f} "
            f"+- {score.standard_error:.3f}."
        )
    if result.monomials:
        n_beyond = len(result.beyond_chance)
        found.append(f"Beyond chance among all monomials: {n_beyond} of {len(result.monomials)}.")
    return found


@reservations.register
def _(result: Interactions) -> list[str]:
    names = [monomial.name for monomial in result.by_chance]
    return [f"Left out, because chance could have put them there: {listed(names)}."] * bool(names)


@about.register
def _(result: SelectorComparison) -> str:
    names = [row.name for row in result]
    return f"for {quoted(result.target)}: {counted(len(names), 'selector')}{in_brackets(names)}"


@findings.register
def _(result: SelectorComparison) -> list[str]:
    judged = [(-row.score, row.name) for row in result if row.score is not None]
    shown = [f"{name(selector)} {-score:.3f}" for score, selector in sorted(judged)]
    return [f"{result.measure}, the best first: {listed(shown)}."] if judged else []


@reservations.register
def _(result: SelectorComparison) -> list[str]:
    problems = [(row.name, row.problem) for row in result if row.problem is not None]
    return [f"{name(x)}: {sentence(problem)}" for x, problem in problems[:_N_PROBLEMS]]


@about.register
def _(result: IndependenceAnswer) -> str:
    pair = f"{quoted(result.x)} and {quoted(result.y)}{_given(result.given)}"
    return f": {pair}: {result.answer} (p {result.p_text})"


@findings.register
def _(result: IndependenceAnswer) -> list[str]:
    return [
        f"{name(result.test)}: statistic {result.statistic:,.4g}, dof {round(result.dof, 1):g}, "
        f"p {result.p_text}, effect {result.effect:.3g}, at alpha {result.alpha:g}.",
        f"{result.n_used:,} of {result.run.n_rows:,} rows used.",
        f"Why this test: {sentence(result.chosen)}.",
    ]


@reservations.register
def _(result: IndependenceAnswer) -> list[str]:
    return [sentence(result.reason)] if result.reason else []


@about.register
def _(result: BoundaryPath) -> str:
    sizes = sorted({len(members) for members in result.members})
    size = " to ".join(f"{n:,}" for n in dict.fromkeys((*sizes[:1], *sizes[-1:])))
    levels = f"{counted(len(result.alphas), 'alpha')}, {size or 'no'} members"
    return f"of {quoted(result.target)}: {levels}"


@findings.register
def _(result: BoundaryPath) -> list[str]:
    if not result.alphas:
        return []
    least, most = result.alphas[0], result.alphas[-1]
    counts = {x: sum(result.levels_of(x)) for x in by_levels(result)}
    n = len(result.alphas)
    always = [x for x, count in counts.items() if count == n]
    others = [f"{name(x)} ({count})" for x, count in counts.items() if count < n]
    found = [f"At every alpha from {least:g} to {most:g}: {listed(always)}."]
    return found + ([f"At some of the {n}: {listed(others)}."] if others else [])


@about.register
def _(result: ResultChanges) -> str:
    of = "" if result.target is None else f"of {quoted(result.target)}"
    counts = [(sort, len(result.of_sort(sort))) for sort in ("entered", "left", "changed")]
    said = [f"{n:,} {sort}" for sort, n in counts if n] or ["nothing changed"]
    return f"{of}: {', '.join(said)}, {result.n_same:,} the same"


@findings.register
def _(result: ResultChanges) -> list[str]:
    found = []
    for sort in ("entered", "left", "changed"):
        names = [change.what for change in result.of_sort(sort)]
        found += [f"{sort.capitalize()}: {listed(names)}."] if names else []
    return found + [f"Why: {sentence(reason)}" for reason in result.reasons[:_N_PROBLEMS]]


@findings.register
def _(result: BoundaryCheck) -> list[str]:
    return [result.sentence]
