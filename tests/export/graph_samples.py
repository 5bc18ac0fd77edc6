"""Graphs to send out and read back."""

from hypothesis import strategies as st

from eiderdown.graphs import DAG, PDAG, random_dag

ODD_NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=6
)
PLAIN_NAMES = st.from_regex(r"[A-Za-z_.][A-Za-z0-9_.]{0,5}", fullmatch=True)


@st.composite
def graphs(draw, names=ODD_NAMES, kinds=("dag", "pattern")):
    """A random DAG, or its pattern, under random names."""
    nodes = draw(st.lists(names, min_size=1, max_size=7, unique=True))
    seed = draw(st.integers(0, 10_000))
    drawn = random_dag(len(nodes), edge_probability=0.5, random_state=seed)
    new = dict(zip(drawn.nodes, nodes, strict=True))
    dag = DAG(nodes, [(new[a], new[b]) for a, b in drawn.edges])
    pattern = draw(st.sampled_from(kinds)) == "pattern" and dag.to_cpdag().undirected
    return dag.to_cpdag() if pattern else dag


MIXED = PDAG.from_string("A->B, C->B, C--D, E")
"""One edge of either kind, and a node without any."""
