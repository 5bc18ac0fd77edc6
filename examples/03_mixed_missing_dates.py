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
# # Mixed columns, missing values and dates
#
# A table as it comes out of a hospital: semicolons, decimal commas, question marks for what is
# not known, dates, patients' numbers, words beside numbers. We make one from scikit-learn's
# diabetes table, which has 442 real patients, so that we know what the untouched table says.

# %%
import os
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes

import eiderdown

SHORT = "EIDERDOWN_SHORT" in os.environ
warnings.simplefilter("ignore", eiderdown.EiderdownWarning)  # results hold them, too

clean = load_diabetes(as_frame=True, scaled=False).frame
clean = clean.rename(columns={"target": "progression", "s5": "log_triglycerides"})
clean["sex"] = np.where(clean["sex"] == 1, "female", "male")
clean.head(3)

# %% [markdown]
# ## The untouched table

# %%
untouched = eiderdown.find_boundary(clean, target="progression", algorithm="iamb", progress=False)
untouched

# %% [markdown]
# ## Make it real
#
# Age becomes a date of birth, a tenth of three columns goes missing, a number for each patient
# and a column of words come in, and all of it is written the European way.

# %%
rng = np.random.default_rng(0)
table = clean.drop(columns="age")
table.insert(0, "patient", [f"P{i:04}" for i in range(len(table))])
born = pd.Timestamp("2004-01-01") - pd.to_timedelta((clean["age"] * 365.25).round(), unit="D")
table["born"] = born.dt.strftime("%d.%m.%Y")
table["smoker"] = rng.choice(["yes", "no", "unknown"], len(table))
for column in ("bmi", "bp", "log_triglycerides"):
    table.loc[rng.random(len(table)) < 0.1, column] = np.nan

folder = TemporaryDirectory()
path = Path(folder.name) / "patients.csv"
table.to_csv(path, sep=";", decimal=",", index=False, na_rep="?")
print("\n".join(path.read_text().splitlines()[:3]))

# %% [markdown]
# ## Read it
#
# What had to be guessed is said in a sentence each, and every guess can be overruled.

# %%
data = eiderdown.Dataset.of(path)
print(data)
for note in data.notes:
    print("-", note)

# %%
said = " ".join(data.notes)
assert "delimiter ';'" in said
assert "'?'" in said
assert "'born'" in said, "dates become days"
assert "'patient'" in said, "a number of patients is left out"
assert "patient" not in data.names

# %% [markdown]
# ## Ask the same question
#
# Numbers and categories are tested by one test (Wilks' likelihood ratio between blocks of
# columns); rows are left out test by test, only where one of its own columns is missing.

# %%
found = eiderdown.find_boundary(path, target="progression", algorithm="iamb", progress=False)
found

# %%
both = set(found.members) & set(untouched.members)
print(f"in both: {', '.join(sorted(both))}")
assert {"bmi", "bp", "log_triglycerides"} <= both, "what matters most survives the damage"
assert "smoker" not in found.members
assert any("Values are missing in 3 of 12 columns" in warning for warning in found.warnings)

# %% [markdown]
# Each test says how many rows it could use:

# %%
frame = found.to_frame()
frame.loc[frame["decision"] == "kept", ["variable", "n_used", "p_value", "effect"]]

# %%
assert (frame["n_used"] < len(table)).all()
assert (frame["n_used"] > 0.6 * len(table)).all()

# %% [markdown]
# ## Other ways to treat what is missing
#
# `missing="level"` takes "not known" as an answer of its own, `"impute"` fills in, `"drop"` keeps
# complete rows only.

# %%
ways = ("testwise", "drop") if SHORT else ("testwise", "drop", "impute", "level")
members = {
    way: eiderdown.find_boundary(
        path, target="progression", algorithm="iamb", missing=way, progress=False
    ).members
    for way in ways
}
shared = set.intersection(*map(set, members.values()))
pd.DataFrame(
    {
        way: {name: name in found for name in sorted(set().union(*members.values()))}
        for way, found in members.items()
    }
)

# %%
assert "bmi" in shared

# %% [markdown]
# ## One question by itself
#
# Does sex tell of the progression, once body mass, blood pressure and triglycerides are known?
# The answer names the test that fits these kinds of columns, and why it was chosen.

# %%
answer = eiderdown.test(path, "sex", "progression", given=["bmi", "bp", "log_triglycerides"])
print(answer)

# %%
assert answer.test == "wilks"
assert answer.n_used < len(table)

# %%
answer.plot()

# %%
folder.cleanup()
