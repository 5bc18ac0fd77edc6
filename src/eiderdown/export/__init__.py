"""Graphs for other programs: as text, as files and as their own objects, and back."""

from eiderdown.export.arrows import from_dagitty, from_dot, to_dagitty, to_dot
from eiderdown.export.bif import BIF, from_bnlearn, to_bif, to_bnlearn
from eiderdown.export.format import Exportable, Format
from eiderdown.export.libraries import (
    from_causal_learn,
    from_graphml,
    from_networkx,
    from_pcalg,
    from_tetrad,
    to_causal_learn,
    to_graphml,
    to_networkx,
    to_pcalg,
    to_tetrad,
)
from eiderdown.export.registry import FORMATS, format_of, read_graph, write_graph

__all__ = [
    "BIF",
    "FORMATS",
    "Exportable",
    "Format",
    "format_of",
    "from_bnlearn",
    "from_causal_learn",
    "from_dagitty",
    "from_dot",
    "from_graphml",
    "from_networkx",
    "from_pcalg",
    "from_tetrad",
    "read_graph",
    "to_bif",
    "to_bnlearn",
    "to_causal_learn",
    "to_dagitty",
    "to_dot",
    "to_graphml",
    "to_networkx",
    "to_pcalg",
    "to_tetrad",
    "write_graph",
]
