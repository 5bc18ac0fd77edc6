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
# # From a table to a boundary and a decision
#
# A pathologist measures thirty properties of cells from a breast tumour: size, texture,
# smoothness and so on, each as a mean, as its standard error and as the mean of the three worst
# cells. The table is real and comes with scikit-learn. Which of the thirty hold all there is to
# know about the diagnosis, and does a clinic need to measure the others?

# %%
import os

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eiderdown

SHORT = "EIDERDOWN_SHORT" in os.environ

raw = load_breast_cancer(as_frame=True)
table = raw.data.assign(diagnosis=raw.target_names[raw.target])
table.iloc[:3, [0, 1, 2, -1]]

# %% [markdown]
# ## Ask for the boundary
#
# The *Markov boundary* of a column is the smallest set of others that makes the rest irrelevant:
# given these columns, no other column tells anything more about it. One call finds it.
# `check_prediction` also measures, on rows that took no part in the search, how well the boundary
# predicts.

# %%
found = eiderdown.find_boundary(
    table, target="diagnosis", check_prediction=not SHORT, progress=False
)
found

# %% [markdown]
# That is what a result looks like in a notebook: what was found, what is to be doubted, and the
# decisive test of each column. Printed, it is a few lines:

# %%
print(found)

# %%
assert 5 <= len(found.members) <= 15, "a third of the columns, more or less"
assert "worst radius" in found.members
assert len(repr(found)) < 250

# %% [markdown]
# ## Look at it
#
# As a graph: members are around the target. Searches that tell parents and children from spouses
# draw a spouse (another cause of a common effect) next to the child that it shares with the
# target.

# %%
found.plot()

# %% [markdown]
# As evidence: each bar is the decisive test of one column, members first, then the nearest
# misses. What ends left of the dashed line did not pass at this significance level.

# %%
found.plot("evidence")

# %% [markdown]
# The same numbers as a pandas frame:

# %%
frame = found.to_frame()
frame.loc[frame["decision"] == "kept", ["variable", "role", "p_value", "effect", "probability"]]

# %%
kept = frame.loc[frame["decision"] == "kept", "variable"]
assert set(kept) == set(found.members)

# %% [markdown]
# ## Why is a column *not* a member?
#
# `mean radius` alone tells a lot about the diagnosis. Given others it tells nothing that is left
# to tell. A result answers that for every column of the table:

# %%
print(found.why("mean radius"))
print(found.why("worst radius"))

# %% [markdown]
# Any other question of independence is one call:

# %%
alone = eiderdown.test(table, "mean radius", "diagnosis")
given = eiderdown.test(table, "mean radius", "diagnosis", given=["worst radius", "worst area"])
print(alone)
print()
print(given)

# %%
assert "mean radius" not in found.members
assert alone.answer == "dependent"
assert given.log_p > alone.log_p, "most of what it tells is told by these two"

# %% [markdown]
# ## The decision
#
# A model that sees only the boundary, against one that sees all thirty columns, by
# cross-validation. (The boundary was found with all rows here, which flatters it a little;
# `check_prediction` above does not.)

# %%
model = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=1_000))


def auc(columns):
    return np.mean(
        cross_val_score(model, table[list(columns)], table["diagnosis"], scoring="roc_auc")
    )


of_members, of_all = auc(found.members), auc(raw.data.columns)
print(
    f"AUC of {len(found.members)} members: {of_members:.3f}; "
    f"of all {raw.data.shape[1]} columns: {of_all:.3f}"
)

# %%
assert of_members > of_all - 0.01, "the members predict nearly as well as all columns"

# %% [markdown]
# A third of the measurements predict as well as all of them to within a hundredth of AUC. That is
# the decision one can now argue about: what are the other twenty measurements worth?
#
# `goal="prediction"` goes one step further and chooses the columns by how well they predict, with
# intervals:

# %%
if not SHORT:
    chosen = eiderdown.find_boundary(table, target="diagnosis", goal="prediction", progress=False)
    assert set(chosen.members) == set(found.members), (
        "the boundary is the same; the choice is beside it"
    )
    print(chosen.prediction.sentence("diagnosis"))

# %%
None if SHORT else chosen.plot("prediction")

# %% [markdown]
# ## Keep it
#
# A result is a JSON file that holds everything: `found.save("diagnosis.json")`,
# `eiderdown.load_result(...)`. A page for others is `found.report("diagnosis.html")`.

# %%
again = eiderdown.MarkovBoundary.from_json(found.to_json())
assert again == found
