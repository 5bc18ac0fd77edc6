"""A network with its tables, in the Bayesian Interchange Format."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from eiderdown import networks
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.export.format import Exportable, Format, directed_graph_of
from eiderdown.graphs import DAG
from eiderdown.networks import DiscreteNetwork, GaussianNetwork, fit_network
from eiderdown.options import Option

_FORM = "BIF"

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
    graph = directed_graph_of(source, _FORM)
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
