"""What programs for Bayesian networks read: BIF, with the tables; the model string of bnlearn."""

from __future__ import annotations

import re
from typing import Annotated, TypeAlias

from eiderdown import networks
from eiderdown.data import Dataset
from eiderdown.errors import GraphError, OptionError
from eiderdown.export.format import Exportable, Format, directed_graph_of, require_plain_names
from eiderdown.graphs import DAG
from eiderdown.networks import DiscreteNetwork, GaussianNetwork, fit_network
from eiderdown.options import Option

PriorRows: TypeAlias = Annotated[
    float, Option("rows that the prior of the tables is worth", at_least=0)
]


def to_bif(
    source: Exportable | DiscreteNetwork,
    data: Dataset | None = None,
    *,
    equivalent_sample_size: PriorRows = 0.0,
) -> str:
    """Write a network as BIF, with tables fitted to data.

    Parameters
    ----------
    source : DAG, result of a search, or DiscreteNetwork
        The graph; a DiscreteNetwork has tables of its own and needs no data.
    data : Dataset or None
        Where the tables come from; its columns must be discrete.
    equivalent_sample_size : float
        Rows that the prior is worth; see :func:`eiderdown.networks.fit_network`.

    Examples
    --------
    >>> data = Dataset.from_columns({"rain": ["no", "yes"], "wet": ["no", "yes"]})
    >>> text = to_bif(DAG.from_string("rain->wet"), data)
    >>> networks.parse_bif(text).table("wet").tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if isinstance(source, DiscreteNetwork):
        return networks.to_bif(source)
    graph = directed_graph_of(source, "BIF")
    if data is None:
        raise OptionError("BIF holds tables, which need data; give the table as data=.")
    fitted = fit_network(graph, data, equivalent_sample_size=equivalent_sample_size)
    if isinstance(fitted, GaussianNetwork):
        raise OptionError(
            "BIF holds tables of discrete columns, and these are continuous; discretise them, or "
            "choose another format."
        )
    return networks.to_bif(fitted)


def _dag_of(text: str) -> DAG:
    return networks.parse_bif(text).dag


BIF = Format(
    to_bif,
    "Bayesian Interchange Format, with tables",
    name="bif",
    read=_dag_of,
    suffixes=(".bif", ".bif.gz"),
    needs_data=True,
)


_MODEL_STRING = "bnlearn's model string"
_SIGNS = re.compile(r"[\[\]|:]")
_NODE = re.compile(r"\[([^\[\]|:]+)(?:\|([^\[\]|]+))?\]")


def to_bnlearn(source: Exportable) -> str:
    """Write a directed graph as the argument of bnlearn's ``model2network``.

    Examples
    --------
    >>> to_bnlearn(DAG.from_string("A->B, A->C, B->C"))
    '[A][B|A][C|A:B]'
    """
    graph = directed_graph_of(source, _MODEL_STRING)
    require_plain_names(graph, _SIGNS, _MODEL_STRING)
    return "".join(map(_node, [graph] * graph.n_nodes, graph.topological_order))


def from_bnlearn(text: str) -> DAG:
    """Read a directed graph from what bnlearn's ``modelstring`` returns.

    Examples
    --------
    >>> from_bnlearn("[A][B|A][C|A:B]")
    DAG.from_string('A->B, A->C, B->C')
    """
    whole = text.strip()
    families = [match.groups() for match in _NODE.finditer(whole)]
    if not families or _NODE.sub("", whole).strip():
        raise GraphError(f"This is not {_MODEL_STRING}; write one such as '[A][B|A][C|A:B]'.")
    edges = [(parent, node) for node, own in families if own for parent in own.split(":")]
    return DAG([node for node, _ in families], edges)


def _node(graph: DAG, node: str) -> str:
    parents = ":".join(graph.ordered_parents(node))
    return f"[{node}|{parents}]" if parents else f"[{node}]"


def _line(source: Exportable) -> str:
    return to_bnlearn(source) + "\n"


BNLEARN = Format(
    _line, "bnlearn's model string", name="bnlearn", read=from_bnlearn, suffixes=(".bnlearn",)
)
