"""Why any column is not a member: what its tests said, in a sentence for each column."""

from __future__ import annotations

from eiderdown.report.html.packing import packed_within
from eiderdown.report.html.view import Block, WhyNot
from eiderdown.results import ColumnScreen, Evidence, LocalResult

ROOM = 2_200_000
"""Letters of a page that the answers may take: with all else it stays below 3 MB."""

_ONLY_NEAREST = (
    "This result holds the tests of columns that were removed, and of the nearest misses; results "
    "of newer versions hold those of every column."
)


def why_not(result: LocalResult) -> tuple[Block, ...]:
    """Arrange an answer for every column that is outside, the strongest first."""
    screen = result.screen
    answers = _by_tests(result) if screen is None else _by_screen(screen)
    if not answers:
        return ()
    names, sentences = list(answers), list(answers.values())
    packed, n_kept = packed_within(names, sentences, ROOM)
    return (
        WhyNot(
            target=result.target,
            packed=packed,
            n_columns=n_kept,
            n_left_out=len(names) - n_kept,
            note=_ONLY_NEAREST if screen is None else "",
        ),
    )


def _by_screen(screen: ColumnScreen) -> dict[str, str]:
    """Return what the screen says of each column, those first that say most of the target alone."""
    strength = screen.alone_log_p
    order = sorted(range(len(screen.names)), key=lambda i: (strength[i], screen.names[i]))
    left_out = sorted(name for names in screen.left_out.values() for name in names)
    return {name: screen.why(name) for name in (*(screen.names[i] for i in order), *left_out)}


def _by_tests(result: LocalResult) -> dict[str, str]:
    outside = [item for item in result.evidence if item.decision != "kept"]
    options = result.run.options
    level = float(options.get("level", options.get("alpha", 1.0)))
    return {item.variable: _sentence(item, result.target, level) for item in outside}


def _sentence(item: Evidence, target: str, level: float) -> str:
    given = f"given {', '.join(item.given)}" if item.given else "alone"
    tested = f"{given}, p is {item.p_text} and the effect {item.effect:.3f}"
    said = {
        "independent": f"is independent of {target!r}: {tested}.",
        "dependent": f"still depends on {target!r} ({tested}), but was not kept by the search.",
        "cannot say": f"could not be ruled out for want of data: {tested}.",
    }[item.answer(level)]
    removed = "was admitted first and removed later. It " if item.decision == "removed" else ""
    return f"{item.variable!r} {removed}{said}"
