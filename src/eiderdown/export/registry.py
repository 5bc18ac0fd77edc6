"""All formats of graphs, and files in them; a new format is one file and one line here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.export.arrows import DAGITTY, DOT
from eiderdown.export.bif import BIF, BNLEARN
from eiderdown.export.format import Exportable, Format
from eiderdown.export.libraries import CAUSAL_LEARN, GRAPHML, PCALG, TETRAD
from eiderdown.files import read_text, write_text
from eiderdown.graphs import DAG, PDAG
from eiderdown.registry import Registry

FORMATS: Registry[Format[...]] = Registry(
    [DOT, GRAPHML, BIF, DAGITTY, BNLEARN, TETRAD, PCALG, CAUSAL_LEARN], noun="format"
)
"""Formats of files by name."""


def format_of(path: str | Path, form: str | Format[...] | None = None) -> Format[...]:
    """Return the format of a file, by its suffix unless it is given.

    Examples
    --------
    >>> format_of("network.bif.gz").name
    'bif'
    """
    if isinstance(form, Format):
        return form
    if form is not None:
        return FORMATS[form]
    name = Path(path).name.lower()
    for known in FORMATS:
        if name.endswith(known.suffixes):
            return known
    legal = ", ".join(suffix for known in FORMATS for suffix in known.suffixes)
    raise OptionError(
        f"The name {Path(path).name!r} does not say which format; end it in {legal}, or name the "
        f"format, one of {FORMATS.names}."
    )


def write_graph(
    source: Exportable,
    path: str | Path,
    *,
    form: str | Format[...] | None = None,
    data: Dataset | None = None,
) -> None:
    """Write a graph to a file.

    Parameters
    ----------
    source : DAG, PDAG or result of a search
        The graph.
    path : str or Path
        The file; its suffix says the format unless ``form`` does.
    form : str, Format or None
        Name of the format, one of ``FORMATS.names``, or a format with options, such as
        ``BIF(equivalent_sample_size=1.0)``, or of your own.
    data : Dataset or None
        Where the tables of a BIF file come from.
    """
    chosen = format_of(path, form)
    given: tuple[Any, ...] = (source, data) if chosen.needs_data else (source,)
    write_text(chosen.run(*given), path)


def read_graph(path: str | Path, *, form: str | Format[...] | None = None) -> DAG | PDAG:
    """Read a graph from a file.

    Parameters
    ----------
    path : str or Path
        The file; its suffix says the format unless ``form`` does.
    form : str, Format or None
        The format, as in :func:`write_graph`.

    Returns
    -------
    DAG or PDAG
        A PDAG if any edge is undirected.
    """
    return format_of(path, form).read(read_text(path, "give the path of a graph's file."))
