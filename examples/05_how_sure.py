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
# # How sure are we?
#
# A search returns one answer. Rows could have been others, the significance level could have been
# another, and where columns say nearly the same, other answers are as good. This notebook asks
# the same question in five ways, each of which shows another kind of doubt.

# %%
import os
import warnings

import pandas as pd
from sklearn.datasets import load_breast_cancer

import eiderdown
from eiderdown import networks

SHORT = "EIDERDOWN_SHORT" in os.environ
warnings.simplefilter("ignore", eiderdown.EiderdownWarning)  # results hold them, too

raw = load_breast_cancer(as_frame=True)
table = raw.data.assign(diagnosis=raw.target_names[raw.target])

# %% [markdown]
# ## 1. What the search itself says
#
# The default search is a vote of tests and graphs. The share of the votes for each column is the
# first, cheapest answer.

# %%
found = eiderdown.find_boundary(table, target="diagnosis", progress=False)
found.plot("probabilities")

# %%
shares = pd.Series(found.probabilities)
assert shares[list(found.members)].min() > 0.5
assert shares.max() == 1.0

# %% [markdown]
# ## 2. The path over alpha
#
# Why .01? `boundary_path` asks the question at many significance levels. What stays a member as
# alpha falls by orders of magnitude does not hang on that choice.

# %%
alphas = (0.05, 0.01, 0.001) if SHORT else (0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 1e-4, 1e-6)
path = eiderdown.boundary_path(table, "diagnosis", alphas=alphas, progress=False)
path

# %%
path.plot()

# %% [markdown]
# ## 3. More than one boundary
#
# Radius, perimeter and area of a cell say nearly the same. Where that is so, several sets of
# columns make the rest irrelevant, and a single search shows one of them. `find_boundaries`
# repeats a search with random choices, and shows what stands for what.

# %%
several = eiderdown.find_boundaries(
    table, target="diagnosis", runs=10 if SHORT else 100, cv=None if SHORT else 5, progress=False
)
several

# %%
several.plot("members")

# %%
counts = pd.Series(several.member_counts) / several.n_runs
assert len(several) > 1, "there is more than one"
assert (counts == 1.0).any(), "but some columns are in all of them"
assert (counts < 0.5).any(), "and others come and go"

# %% [markdown]
# The boundaries differ, and predict equally well: which one is reported is a matter of chance,
# and which one is *used* can be a matter of cost.

# %%
several.to_frame().head()

# %%
if not SHORT:
    accuracies = several.to_frame()["balanced"]
    assert accuracies.max() - accuracies.min() < 0.05

# %%
several.plot("substitutions")

# %% [markdown]
# ## 4. Confidence in a network
#
# Networks have many good neighbours, too. `measure_confidence` runs a randomised search many
# times and counts in how many of the *distinct* good models an edge, a path or a member of a
# boundary occurs. On rows of a known network we can see whether that confidence is deserved.

# %%
asia = networks.load("asia")
rows = asia.sample(2_000, random_state=0)
confidence = eiderdown.measure_confidence(
    rows, k=0.4, runs=200 if SHORT else 1_000, random_state=0, progress=False
)
confidence

# %%
confidence.plot("graph", threshold=0.4)

# %%
known = confidence.against(asia.dag).to_frame("boundaries")
known.sort_values("confidence", ascending=False).head(10)

# %%
sure, unsure = known[known["confidence"] >= 0.9], known[known["confidence"] < 0.3]
print(
    f"confidence of .9 or more: {sure['in_model'].mean():.0%} are true; "
    f"below .3: {unsure['in_model'].mean():.0%}"
)
assert sure["in_model"].mean() > unsure["in_model"].mean() + 0.3

# %% [markdown]
# The threshold is a choice between two errors. The curve shows what each choice costs; the ring
# is the suggested one.

# %%
confidence.plot("trade_off", group="boundaries")

# %% [markdown]
# ## 5. Other rows
#
# What if other patients had come? `measure_stability` learns the graph again on resampled rows,
# and counts how often each edge came back, and with which direction.

# %%
stability = eiderdown.measure_stability(rows, resamples=8 if SHORT else 40, progress=False)
stability.plot()

# %%
edges = {frozenset((edge.left, edge.right)): edge.adjacent for edge in stability}
truth = [frozenset(edge) for edge in asia.dag.edges]
false = [share for pair, share in edges.items() if pair not in truth]
true = [edges.get(pair, 0.0) for pair in truth]
print(f"true edges came back in {sum(true) / len(true):.0%} of the resamples on average")
assert sum(true) / len(true) > 0.6
assert sum(share >= 0.9 for share in false) <= 1

# %% [markdown]
# ## What to take home
#
# - Look at the votes and at the warnings first: they cost nothing.
# - Let alpha move before you believe a member that is just inside.
# - Where columns are near-copies, report the group and not the one that happened to be drawn.
# - Use confidence (many good models) and stability (other rows) for graphs; they answer
#   different questions.
