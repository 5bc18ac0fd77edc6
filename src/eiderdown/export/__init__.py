"""Graphs for other programs: as text, as files and as their own objects, and back."""

from eiderdown.export.bif import to_bif
from eiderdown.export.bnlearn import from_bnlearn, to_bnlearn
from eiderdown.export.dagitty import from_dagitty, to_dagitty
from eiderdown.export.dot import from_dot, to_dot
from eiderdown.export.files import FORMATS, format_of, read_graph, write_graph
from eiderdown.export.graphml import from_graphml, from_networkx, to_graphml, to_networkx
from eiderdown.export.matrices import from_causal_learn, from_pcalg, to_causal_learn, to_pcalg
from eiderdown.export.sources import Exportable
from eiderdown.export.tetrad import from_tetrad, to_tetrad

__all__ = [
    "FORMATS",
    "Exportable",
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
