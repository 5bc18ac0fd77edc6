"""Graphs to and from files, in the format that the file's name or the user says."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from eiderdown.data import Dataset
from eiderdown.errors import OptionError, UnreadableFileError
from eiderdown.export.bif import to_bif
from eiderdown.export.bnlearn import from_bnlearn, to_bnlearn
from eiderdown.export.dagitty import from_dagitty, to_dagitty
from eiderdown.export.dot import from_dot, to_dot
from eiderdown.export.graphml import from_graphml, to_graphml
from eiderdown.export.matrices import (
    from_causal_learn,
    from_csv,
    from_pcalg,
    to_causal_learn,
    to_csv,
    to_pcalg,
)
from eiderdown.export.sources import Exportable, graph_of
from eiderdown.export.tetrad import from_tetrad, to_tetrad
from eiderdown.graphs import DAG, PDAG
from eiderdown.networks import parse_bif


@dataclass(frozen=True)
class Format:
    """One format of files.

    Attributes
    ----------
    suffixes : tuple of str
        Ends of file names that say this format.
    write : callable
        From a graph to a text; None for BIF, which needs data, too.
    read : callable
        From a text to a graph.
    """

    suffixes: tuple[str, ...]
    write: Callable[[Exportable], str] | None
    read: Callable[[str], DAG | PDAG]


def _causal_learn_csv(source: Exportable) -> str:
    return to_csv(to_causal_learn(source).tolist(), graph_of(source).nodes)


def _of_causal_learn_csv(text: str) -> DAG | PDAG:
    matrix, nodes = from_csv(text)
    return from_causal_learn(matrix, nodes=nodes)


def _with_line_end(source: Exportable) -> str:
    return to_bnlearn(source) + "\n"


FORMATS: dict[str, Format] = {
    "dot": Format((".dot", ".gv"), to_dot, from_dot),
    "graphml": Format((".graphml",), to_graphml, from_graphml),
    "bif": Format((".bif", ".bif.gz"), None, lambda text: parse_bif(text).dag),
    "dagitty": Format((".dagitty",), to_dagitty, from_dagitty),
    "bnlearn": Format((".bnlearn",), _with_line_end, from_bnlearn),
    "tetrad": Format((".tetrad", ".txt"), to_tetrad, from_tetrad),
    "pcalg": Format((".csv",), to_pcalg, from_pcalg),
    "causal_learn": Format((), _causal_learn_csv, _of_causal_learn_csv),
}
"""Formats of files by name."""


def format_of(path: str | Path, form: str | None = None) -> str:
    """Return the name of a file's format, by its suffix unless it is given.

    Examples
    --------
    >>> format_of("network.bif.gz")
    'bif'
    """
    if form is not None:
        if form not in FORMATS:
            raise OptionError(f"There is no format {form!r}; choose from {tuple(FORMATS)}.")
        return form
    name = Path(path).name.lower()
    for known, it in FORMATS.items():
        if name.endswith(it.suffixes):
            return known
    legal = ", ".join(suffix for it in FORMATS.values() for suffix in it.suffixes)
    raise OptionError(
        f"The name {Path(path).name!r} does not say which format; end it in {legal}, or name the "
        f"format, one of {tuple(FORMATS)}."
    )


def write_graph(
    source: Exportable,
    path: str | Path,
    *,
    form: str | None = None,
    data: Dataset | None = None,
    equivalent_sample_size: float = 0.0,
) -> None:
    """Write a graph to a file.

    Parameters
    ----------
    source : DAG, PDAG or result of a search
        The graph.
    path : str or Path
        The file; its suffix says the format unless ``form`` does.
    form : str or None
        Name of the format, a key of :data:`FORMATS`.
    data : Dataset or None
        Where the tables of a BIF file come from.
    equivalent_sample_size : float
        Rows that the prior of these tables is worth.
    """
    write = FORMATS[format_of(path, form)].write
    if write is None:
        text = to_bif(source, data, equivalent_sample_size=equivalent_sample_size)
    else:
        text = write(source)
    content = text.encode("utf-8")
    # A fixed time stamp: the same graph gives the same bytes.
    zipped = Path(path).suffix == ".gz"
    Path(path).write_bytes(gzip.compress(content, mtime=0) if zipped else content)


def read_graph(path: str | Path, *, form: str | None = None) -> DAG | PDAG:
    """Read a graph from a file.

    Parameters
    ----------
    path : str or Path
        The file; its suffix says the format unless ``form`` does.
    form : str or None
        Name of the format, a key of :data:`FORMATS`.

    Returns
    -------
    DAG or PDAG
        A PDAG if any edge is undirected.
    """
    read = FORMATS[format_of(path, form)].read
    try:
        content = Path(path).read_bytes()
        text = (gzip.decompress(content) if Path(path).suffix == ".gz" else content).decode()
    except (OSError, UnicodeDecodeError, EOFError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not text"
        raise UnreadableFileError(
            f"Cannot read {str(path)!r} ({reason}); give the path of a graph's file."
        ) from problem
    return read(text)
