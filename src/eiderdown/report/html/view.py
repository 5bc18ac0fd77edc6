"""What a page shows, as plain records: arranged from a result, drawn by the templates.

A :class:`Page` has sections, a section has blocks, and a block names the macro that draws it
(``templates/blocks.html.jinja``). All texts are plain texts; escaping is the templates' part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from eiderdown.report.text import cut_off
from eiderdown.terminal import visible

LONGEST_LABEL = 26

CellKind: TypeAlias = Literal["name", "text", "number"]


def label_of(name: str) -> str:
    """Return what a box says: the name, cut if it is long."""
    return cut_off(visible(name), LONGEST_LABEL)


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Attributes
    ----------
    shown : str or tuple of str
        A text, or names of columns.
    order : float, str or None
        What sorting goes by; None for the text itself.
    share : float or None
        From 0 to 1, drawn as a bar behind the number.
    mark : str
        A word that gives the cell a style, such as "strong".
    """

    shown: str | tuple[str, ...]
    order: float | str | None = None
    share: float | None = None
    mark: str = ""


@dataclass(frozen=True)
class Heading:
    """The heading of a column: its text, what stands below, and what it means."""

    text: str
    kind: CellKind = "text"
    meaning: str = ""


@dataclass(frozen=True)
class Block:
    """Something that a section shows."""

    macro: ClassVar[str] = ""


@dataclass(frozen=True)
class Words(Block):
    """Paragraphs."""

    macro: ClassVar[str] = "words"
    lines: tuple[str, ...]
    is_list: bool = False


@dataclass(frozen=True)
class Facts(Block):
    """Labels with values."""

    macro: ClassVar[str] = "facts"
    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table(Block):
    """A table that can be sorted by each column, and filtered.

    Attributes
    ----------
    caption : str
        What the table is of.
    headings, rows
        What stands in it.
    n_left_out : int
        Rows that the result has and the page has not.
    """

    macro: ClassVar[str] = "table"
    caption: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_left_out: int = 0

    @property
    def with_filter(self) -> bool:
        """Whether there are enough rows to look for one among them."""
        return len(self.rows) > 8


@dataclass(frozen=True)
class Node:
    """A box of a graph.

    Attributes
    ----------
    name : str
        The column.
    role : str
        What it is, in one or two words; a role has a colour.
    x, y : float
        The centre, in pixels, y downwards.
    width : float
        Width of the box.
    narrow : pair of float or None
        The centre on narrow pages, if another.
    facts : tuple of pairs
        What is shown of it when it is chosen.
    """

    name: str
    role: str
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    narrow: tuple[float, float] | None = None
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Edge:
    """A line of a graph, between nodes by their places.

    Attributes
    ----------
    source, target : int
        Places of the nodes.
    directed : bool
        Whether it has an arrowhead.
    style : {"solid", "dashed", "dotted"}
        How it is drawn.
    share : float
        How sure it is, from 0 to 1: the wider the line.
    bends : tuple of pairs
        Points on its way, as (share of the way, pixels aside).
    facts : tuple of pairs
        What is shown of it when it is chosen.
    """

    source: int
    target: int
    directed: bool = False
    style: Literal["solid", "dashed", "dotted"] = "solid"
    share: float = 1.0
    bends: tuple[tuple[float, float], ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Graph(Block):
    """A graph to look at, to click on, and to read as a list.

    Attributes
    ----------
    nodes, edges
        What is drawn.
    label : str
        What it is, for those who do not see it.
    legend : tuple of pairs
        Roles and what they mean.
    """

    macro: ClassVar[str] = "graph"
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    label: str
    legend: tuple[tuple[str, str], ...] = ()

    def plain(self) -> dict[str, Any]:
        """Return what the script draws."""
        return {
            "nodes": [{**vars(node), "label": label_of(node.name)} for node in self.nodes],
            "edges": [vars(edge) for edge in self.edges],
        }


@dataclass(frozen=True)
class ErrorCurve:
    """What passes each threshold, and how much of it is wrong against a reference."""

    name: str
    suggested: float
    thresholds: tuple[float, ...]
    passed: tuple[int, ...]
    false_positives: tuple[int, ...]
    false_negatives: tuple[int, ...]


@dataclass(frozen=True)
class Threshold(Block):
    """A slider that decides which edges of a graph are drawn, and a curve of errors.

    Attributes
    ----------
    graph : Graph
        Edges with their shares.
    start : float
        Where the slider stands at first.
    curves : tuple of ErrorCurve
        Errors by threshold, of each group of features.
    measure : str
        What is compared with the threshold.
    reference : str
        Against what errors are counted.
    """

    macro: ClassVar[str] = "threshold"
    graph: Graph
    start: float
    measure: str
    curves: tuple[ErrorCurve, ...] = ()
    reference: str = ""

    def plain(self) -> dict[str, Any]:
        """Return what the script draws."""
        return {**self.graph.plain(), "curves": [vars(curve) for curve in self.curves]}


@dataclass(frozen=True)
class Interval:
    """A number with its interval, in a row."""

    label: str
    value: float
    low: float
    high: float
    note: str = ""
    strong: bool = False


@dataclass(frozen=True)
class Intervals(Block):
    """Numbers with their intervals, side by side on one axis."""

    macro: ClassVar[str] = "intervals"
    measure: str
    rows: tuple[Interval, ...]

    @property
    def ends(self) -> tuple[float, float]:
        """Where the axis begins and ends."""
        low, high = min(row.low for row in self.rows), max(row.high for row in self.rows)
        margin = 0.08 * (high - low) or 0.01
        return low - margin, high + margin

    def place(self, value: float) -> str:
        """Return where a value stands on the axis, as a share of its length."""
        low, high = self.ends
        return f"{100.0 * (value - low) / (high - low):.2f}%"


@dataclass(frozen=True)
class Steps(Block):
    """Lines of one number over another, such as membership over alpha."""

    macro: ClassVar[str] = "steps"
    label: str
    x: tuple[str, ...]
    rows: tuple[tuple[str, tuple[bool, ...]], ...]


@dataclass(frozen=True)
class Code(Block):
    """A text to be copied."""

    macro: ClassVar[str] = "code"
    label: str
    text: str


@dataclass(frozen=True)
class WhyNot(Block):
    """Why any column is not a member: a field to name it in, and an answer for each.

    Attributes
    ----------
    target : str
        Of what the others are not members.
    packed : str
        Names and sentences, compressed; see :mod:`eiderdown.report.html.packing`.
    n_columns, n_left_out : int
        How many columns have an answer, and for how many there was no room.
    note : str
        What is to be known of the answers.
    """

    macro: ClassVar[str] = "why_not"
    target: str
    packed: str
    n_columns: int
    n_left_out: int = 0
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    """The whole page.

    Attributes
    ----------
    what : str
        Which kind of result it is, before the name of the subject.
    subject : str
        Of which column, or of how large a table.
    answer : str
        What was found, in a sentence or two.
    figures : sequence of pairs
        A few numbers with their labels.
    warnings : sequence of str
        What is to be doubted.
    complete : bool
        False if the search was interrupted.
    sections : sequence of Section
        The rest.
    """

    what: str
    subject: str
    answer: str
    figures: Sequence[tuple[str, str]]
    warnings: Sequence[str]
    complete: bool
    sections: Sequence[Section]

    @property
    def title(self) -> str:
        """What the browser's tab says."""
        return f"{self.what} {self.subject}".strip()

    @property
    def has_graph(self) -> bool:
        """Whether the page draws a graph, and needs the library for it."""
        blocks = [block for section in self.sections for block in section.blocks]
        return any(isinstance(block, Graph | Threshold) for block in blocks)
