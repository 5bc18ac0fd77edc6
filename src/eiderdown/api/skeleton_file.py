"""The file to which a skeleton streams: an Arrow IPC stream of what was found around each column.

A row is one side of an edge: ``y`` is among the parents and children found around ``x``, with the
weakest test that it survived. ``mutual`` says whether the search around ``y`` found ``x`` as well;
it is null where that one was still to come. So the rows whose ``mutual`` is true are the edges of
the skeleton, each once, for whatever program reads the file.

Every batch of rows says how many columns were done by then, and is appended by one write. A process
that is killed leaves at most one torn batch, which is cut off by who goes on. The schema's metadata
name all columns and the question: table, search, test and their options.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple

from eiderdown.errors import OptionError, UnreadableFileError
from eiderdown.files import GrowingFile, reason_of, shortened
from eiderdown.graphs import Skeleton
from eiderdown.independence import IndependenceResult
from eiderdown.state import ClaimedFile
from eiderdown.state.records import Question, plain_question, require_same

if TYPE_CHECKING:
    import pandas
    import pyarrow as pa

_QUESTION, _COLUMNS, _FINISHED = b"eiderdown.skeleton", b"columns", b"finished"
_END: Final = b"\xff\xff\xff\xff\x00\x00\x00\x00"
"""What ends an Arrow stream."""


class Side(NamedTuple):
    """One side of an edge, by numbers of columns: y was found around x."""

    x: int
    y: int
    mutual: bool | None
    test: IndependenceResult


class SkeletonWriter(ClaimedFile):
    """Appends what was found around columns to a file, after what an earlier process has left.

    Parameters
    ----------
    path : Path
        The file.
    question : mapping
        What the file is about, by names for people.
    columns : sequence of str
        The columns, in the order in which they are searched around.
    """

    what: ClassVar[str] = "file of edges"

    def __init__(self, path: Path, question: Question, columns: Sequence[str]) -> None:
        super().__init__(path)
        self._path, self._names = path, columns
        self._question = plain_question(question)
        self._file: GrowingFile | None = None

    @cached_property
    def _schema(self) -> pa.Schema:
        said = {
            _QUESTION: json.dumps(self._question),
            _COLUMNS: json.dumps(list(self._names)),
        }
        return _schema().with_metadata(said)

    def earlier(self) -> tuple[int, list[tuple[str, str]]]:
        """Return how many columns are done, and the pairs (x, y) found so far; open the file."""
        pairs: list[tuple[str, str]] = []
        n_finished = n_bytes = 0
        if self._path.exists() and self._path.stat().st_size:
            read = _Reading.of(self._path)
            require_same(self.what, self._path, self._question, read.question)
            n_bytes = read.n_bytes
            for part in read.parts():
                n_finished, n_bytes = part.n_finished, part.n_bytes
                xs, ys = (part.batch.column(name).to_pylist() for name in ("x", "y"))
                pairs += zip(xs, ys, strict=True)
        self._file = GrowingFile(self._path, n_bytes)
        if not n_bytes:
            self._file.append(self._schema.serialize().to_pybytes())
        return n_finished, pairs

    def append(self, sides: Sequence[Side], n_finished: int) -> None:
        """Write what was found until so many columns were done."""
        import pyarrow as pa

        assert self._file is not None
        rows = [self._row(side) for side in sides]
        batch = pa.RecordBatch.from_pylist(rows, schema=self._schema)
        self._file.append(_message(batch, n_finished))

    def _row(self, side: Side) -> dict[str, Any]:
        names, test = self._names, side.test
        return {
            "x": names[side.x],
            "y": names[side.y],
            "mutual": side.mutual,
            "log_p": test.log_p,
            "statistic": test.statistic,
            "dof": test.dof,
            "effect": test.effect,
            "n_used": test.n_used,
            "given": [names[z] for z in test.given],
        }

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.append(_END)
            self._file.close()
        super().__exit__(kind, problem, trace)


@dataclass(frozen=True, eq=False)
class SkeletonEdges:
    """What a file of edges holds.

    Attributes
    ----------
    columns : tuple of str
        All columns, in the order in which they were searched around.
    n_finished : int
        How many of them are done.
    question : mapping
        Table, search and test, with their options.
    sides : pyarrow Table
        The rows of the file.
    """

    columns: tuple[str, ...]
    n_finished: int
    question: Mapping[str, Any]
    sides: pa.Table

    @property
    def complete(self) -> bool:
        """Whether all columns are done."""
        return self.n_finished == len(self.columns)

    def to_frame(self, symmetry: Literal["and", "or"] = "and") -> pandas.DataFrame:
        """Return the edges as a pandas frame, each with the weaker of the tests of its sides.

        Parameters
        ----------
        symmetry : {"and", "or"}
            Whether both sides must have found each other, or either.
        """
        if symmetry not in ("and", "or"):
            raise OptionError(f"symmetry must be 'and' or 'or', not {symmetry!r}.")
        sides = self.sides.to_pandas()
        rank = {name: i for i, name in enumerate(self.columns)}
        is_later = sides["x"].map(rank) > sides["y"].map(rank)
        first = sides["y"].where(is_later, sides["x"])
        second = sides["x"].where(is_later, sides["y"])
        sides = sides.drop(columns="mutual").assign(x=first, y=second)
        n_sides = sides.groupby(["x", "y"])["x"].transform("size")
        wanted = sides if symmetry == "or" else sides[n_sides == 2]
        weakest_last = wanted.sort_values("log_p", kind="stable")
        edges = weakest_last.drop_duplicates(["x", "y"], keep="last")
        in_order: pandas.DataFrame = edges.sort_index().reset_index(drop=True)
        return in_order

    def graph(self, symmetry: Literal["and", "or"] = "and") -> Skeleton:
        """Return the skeleton of all columns."""
        edges = self.to_frame(symmetry)
        return Skeleton(self.columns, zip(edges["x"], edges["y"], strict=True))


def read_skeleton(path: str | Path) -> SkeletonEdges:
    """Read a file of edges that :func:`eiderdown.learn_skeleton` has written, finished or not.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    SkeletonEdges
        Its :meth:`~SkeletonEdges.to_frame` has the edges, its :meth:`~SkeletonEdges.graph` the
        skeleton.
    """
    import pyarrow as pa

    read = _Reading.of(Path(path))
    parts = list(read.parts())
    sides = pa.Table.from_batches([part.batch for part in parts], schema=read.schema)
    n_finished = parts[-1].n_finished if parts else 0
    return SkeletonEdges(read.columns, n_finished, read.question, sides)


class _Part(NamedTuple):
    """A batch of rows, how many columns were done by then, and where it ends in the file."""

    batch: pa.RecordBatch
    n_finished: int
    n_bytes: int


@dataclass(frozen=True)
class _Reading:
    """A file of edges, and what its schema says."""

    path: Path
    schema: pa.Schema
    question: dict[str, Any]
    columns: tuple[str, ...]
    n_bytes: int

    @classmethod
    def of(cls, path: Path) -> _Reading:
        """Read the schema."""
        import pyarrow as pa

        try:
            with path.open("rb") as file:
                schema = pa.ipc.open_stream(pa.PythonFile(file, "r")).schema
                n_bytes = file.tell()
            said = schema.metadata or {}
            question, columns = json.loads(said[_QUESTION]), json.loads(said[_COLUMNS])
        except (pa.ArrowException, OSError, LookupError, ValueError) as problem:
            reason = reason_of(problem) if isinstance(problem, OSError) else "it is none"
            raise UnreadableFileError(
                f"Cannot read {shortened(path)!r} as a file of edges ({reason}); name one that "
                "learn_skeleton has written, or another place."
            ) from problem
        return cls(path, schema, question, tuple(columns), n_bytes)

    def parts(self) -> Iterator[_Part]:
        """Go through the batches that are whole."""
        import pyarrow as pa

        with self.path.open("rb") as file:
            stream = pa.ipc.open_stream(pa.PythonFile(file, "r"))
            while True:
                try:
                    batch, said = stream.read_next_batch_with_custom_metadata()
                    batch.validate(full=True)
                    n_finished = int(said[_FINISHED])
                except StopIteration:
                    return
                except (pa.ArrowException, OSError, LookupError, TypeError, ValueError):
                    return  # torn or damaged: what is behind it is searched again
                yield _Part(batch, n_finished, file.tell())


def _schema() -> pa.Schema:
    import pyarrow as pa

    numbers = ("log_p", "statistic", "dof", "effect")
    return pa.schema(
        [
            pa.field("x", pa.string(), nullable=False),
            pa.field("y", pa.string(), nullable=False),
            pa.field("mutual", pa.bool_()),
            *(pa.field(name, pa.float64(), nullable=False) for name in numbers),
            pa.field("n_used", pa.int64(), nullable=False),
            pa.field("given", pa.list_(pa.string()), nullable=False),
        ]
    )


def _message(batch: pa.RecordBatch, n_finished: int) -> bytes:
    """Write a batch as a message of a stream, which says how many columns were done by then."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        start = len(batch.schema.serialize())
        stream.write_batch(batch, custom_metadata={_FINISHED: str(n_finished)})
    content: bytes = sink.getvalue().to_pybytes()
    return content[start : -len(_END)]
