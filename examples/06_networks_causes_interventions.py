# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Networks, causes, and prediction under intervention
#
# A boundary says which columns matter. A network says how they hang together, and some of its
# arrows say what causes what. That matters as soon as somebody *does* something: a cause that is
# set still acts; an effect that is set tells nothing any more. We use Alarm, a network of 37
# columns that monitors patients in intensive care, because there the truth is known.

# %%
import os

import pandas as pd
from sklearn.linear_model import LogisticRegression

import eiderdown
from eiderdown import networks
from eiderdown.graphs.metrics import adjacency_scores

SHORT = "EIDERDOWN_SHORT" in os.environ
N_ROWS = 1_000 if SHORT else 5_000

alarm = networks.load("alarm")
data = alarm.sample(N_ROWS, random_state=1)
print(data)

# %% [markdown]
# ## The whole network
#
# The search goes over orders of the columns and keeps the best-scoring class of graphs. What is
# found is a CPDAG: arrows that every graph of the class shares have heads; other edges could go
# either way, and observation alone cannot tell.

# %%
learned = eiderdown.learn_network(data, progress=False)
learned

# %%
learned.plot()

# %%
scores = adjacency_scores(learned.cpdag, alarm.dag)
print(f"edges found: precision {scores.precision:.2f}, recall {scores.recall:.2f}")
assert scores.precision > 0.9
assert scores.recall > 0.8

# %% [markdown]
# Each edge comes with its evidence: by how much the score would fall without it.

# %%
learned.to_frame().head()

# %% [markdown]
# ## A part of it
#
# Of a wide table one rarely wants everything. `region` cuts out what is near one column;
# `eiderdown.learn_region` learns only that part in the first place.

# %%
region = learned.region("HR", depth=1)
region.plot()

# %% [markdown]
# ## Causes and effects of the heart rate
#
# `find_causes` learns graphs on resampled rows and says of each neighbour how likely it is a
# cause or an effect. Where graphs of the same class disagree, the answer is *undecided*.

# %%
roles = eiderdown.find_causes(data, target="HR", resamples=6 if SHORT else 20, progress=False)
roles

# %%
roles.plot()

# %%
true_causes, true_effects = alarm.dag.parents("HR"), alarm.dag.children("HR")
print("truth:", sorted(true_causes), "->", "HR", "->", sorted(true_effects))
assert set(roles.causes) <= true_causes, "nothing is called a cause that is none"
assert set(roles.effects) <= true_effects
assert len(roles.effects) >= 2

# %% [markdown]
# ## Somebody sets a column
#
# Monitors show the heart rate three times: from blood pressure (`HRBP`), from the ECG (`HREKG`),
# from the pulse oximeter (`HRSAT`). They predict the true rate very well, in ordinary rows. Now a
# device fails: `HRBP`, `HREKG` and `HRSAT` show whatever they like. We can make such rows,
# because the network can be intervened in.

# %%
readings = ["HRBP", "HREKG", "HRSAT"]
broken = alarm.do(
    {name: dict.fromkeys(alarm.states(name), 1 / len(alarm.states(name))) for name in readings}
)
new_rows = broken.sample(500, random_state=2).to_pandas()

options = {
    "estimator": LogisticRegression(max_iter=1_000),
    "candidates": ("boundary",),
    "resamples": 6 if SHORT else 20,
    "progress": False,
}
naive = eiderdown.predict(data, new_rows, target="HR", **options)
warned = eiderdown.predict(data, new_rows, target="HR", manipulated=readings, **options)
warned

# %% [markdown]
# The second prediction was told what is set from outside, and leaves it out. The score is
# measured on the rows with the broken devices, whose true heart rate we know:

# %%
side_by_side = pd.DataFrame(
    {
        "AUC on broken devices": [naive.score, warned.score],
        "columns": [len(naive.used.columns), len(warned.used.columns)],
    },
    index=["as if nothing had happened", "told what is set"],
)
side_by_side.round(3)

# %%
assert set(readings) & set(naive.used.columns), "the readings predict best, in ordinary rows"
assert not set(readings) & set(warned.used.columns), "and are not looked at once they are set"
assert warned.score > naive.score + 0.1

# %% [markdown]
# Why each column is used or not is part of the result:

# %%
print(warned.used.text())

# %%
assert all(
    "set from outside" in warned.used.reasons[name]
    for name in set(readings) & set(warned.used.reasons)
)

# %% [markdown]
# ## Take it elsewhere
#
# Graphs go to networkx, Graphviz, DAGitty, R and others, and come back:

# %%
graph = learned.to_networkx()
print(f"{graph.number_of_nodes()} nodes for networkx")
assert set(graph.nodes) == set(learned.nodes)
