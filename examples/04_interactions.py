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
# # Interactions that no pairwise method sees
#
# Two switches at one lamp: either switch alone tells nothing about the light, both together tell
# everything. Every method that looks at columns one at a time is blind to that, however many rows
# there are. Markov boundary searches begin with such looks, too. This notebook shows the trap on
# real columns, an alarm that notices it, and the way out.

# %%
import os

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.metrics import roc_auc_score

import eiderdown

SHORT = "EIDERDOWN_SHORT" in os.environ

# %% [markdown]
# ## Real columns, a made question
#
# Ten measurements of 442 patients, from scikit-learn. A (made-up) clinic flags a patient whose
# body mass and serum triglycerides *disagree*: one above the median, the other below.

# %%
table = load_diabetes(as_frame=True, scaled=False).data.rename(columns={"s5": "log_triglycerides"})
high = table > table.median()
flag = high["bmi"] ^ high["log_triglycerides"]
table["flag"] = np.where(flag, "disagree", "agree")
measured = list(table.columns[:-1])

# %% [markdown]
# ## What pairwise methods say
#
# An F-test and mutual information, each column alone:

# %%
p_values = pd.Series(f_classif(table[measured], flag)[1], measured)
information = pd.Series(mutual_info_classif(table[measured], flag, random_state=0), measured)
pd.DataFrame({"F-test, p": p_values, "mutual information": information}).round(3)

# %%
assert p_values[["bmi", "log_triglycerides"]].min() > 0.01, "neither of the two is seen"

# %% [markdown]
# ## What a boundary says, and the alarm
#
# The boundary is empty. With `check_interactions=True` the search asks afterwards whether the
# columns outside tell anything that its tests did not see, on rows that took no part in the
# choice.

# %%
found = eiderdown.find_boundary(table, target="flag", check_interactions=True, progress=False)
print(found)

# %%
assert found.members == ()
assert any("find_interactions" in warning for warning in found.warnings), "the alarm goes off"

# %% [markdown]
# ## The way out: products of columns
#
# `find_interactions` trains a support vector machine with a polynomial kernel, which works with
# all products of columns at once, finds the products with the largest weights without building
# all of them, and then looks for the boundary among *these*. It is the Feature Space Markov
# Blanket of Brown (2009).

# %%
options = {"degree": 2, "C": 1.0} if SHORT else {}
together = eiderdown.find_interactions(table, target="flag", progress=False, **options)
together

# %%
assert set(together.variables) == {"bmi", "log_triglycerides"}
assert together.monomials[0].name in ("bmi * log_triglycerides", "log_triglycerides * bmi")
assert together.monomials[0].name in together.beyond_chance, (
    "not a matter of looking at many products"
)

# %%
together.plot("evidence")

# %% [markdown]
# The dashed line is a strict one: the significance level divided by the number of all products
# that the SVM knows. Pale bars were kept by the local search, but chance alone could have put
# them there.

# %%
together.to_frame()[["monomial", "kept", "weight", "p_value", "beyond_chance"]]

# %% [markdown]
# ## It predicts
#
# One number, the product of the two standardised columns, does what ten columns one by one could
# not:

# %%
scaled = (table[measured] - table[measured].mean()) / table[measured].std()
product = -scaled["bmi"] * scaled["log_triglycerides"]
best_alone = max(
    max(auc, 1 - auc) for auc in (roc_auc_score(flag, scaled[name]) for name in measured)
)
print(
    f"AUC of the product: {roc_auc_score(flag, product):.3f}; "
    f"of the best single column: {best_alone:.3f}"
)
assert roc_auc_score(flag, product) > 0.9 > best_alone + 0.2

# %% [markdown]
# ## In a pipeline
#
# `FeatureSpaceSelector` does the same inside scikit-learn, so that it can be cross-validated with
# everything else.

# %%
from eiderdown.estimators import FeatureSpaceSelector

selector = FeatureSpaceSelector(degree=2, C=1.0)
selector.fit(table[measured], table["flag"])
chosen = [name for name, kept in zip(measured, selector.get_support(), strict=True) if kept]
print(chosen)
assert set(chosen) == {"bmi", "log_triglycerides"}
