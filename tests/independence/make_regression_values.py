"""Make ``regression_values.json``: likelihood ratios of regressions by statsmodels and lifelines.

    pip install statsmodels lifelines
    python tests/independence/make_regression_values.py

The table is drawn here and stored beside the values, so that the tests need neither library.
Differences between the two: none beyond 1e-6 (Cox's model, ties by Efron, is asked of both).
"""

from __future__ import annotations

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels.api as sm
from lifelines import CoxPHFitter
from statsmodels.miscmodels.ordinal_model import OrderedModel

RESULTS = Path(__file__).with_name("regression_values.json")
TARGETS = {
    "linear": "weight",
    "logistic": "sick",
    "multinomial": "colour",
    "ordinal": "grade",
    "poisson": "visits",
    "negative_binomial": "claims",
    "cox": "months",
}
QUESTIONS = [("dose", []), ("place", []), ("dose", ["age", "group"]), ("place", ["age", "dose"])]


def drawn() -> pd.DataFrame:
    rng = np.random.default_rng(12)
    n = 120
    age, dose = rng.normal(50, 10, n).round(1), rng.normal(size=n).round(3)
    place, group = rng.choice(["north", "south", "west"], n), rng.choice(["a", "b"], n)
    eta = 0.03 * (age - 50) + 0.4 * dose + 0.5 * (place == "west")
    return pd.DataFrame(
        {
            "age": age,
            "dose": dose,
            "place": place,
            "group": group,
            "weight": (70 + 4 * eta + rng.normal(0, 5, n)).round(2),
            "sick": np.where(eta + rng.logistic(size=n) > 0.2, "yes", "no"),
            "colour": np.array(["blue", "green", "red"])[
                np.argmax(np.outer(eta, [0, 1, -1]) + rng.gumbel(size=(n, 3)), axis=1)
            ],
            "grade": np.digitize(eta + rng.logistic(size=n), [-1.0, 0.0, 1.2]),
            "visits": rng.poisson(np.exp(0.5 + eta)),
            "claims": rng.poisson(np.exp(0.5 + eta) * rng.gamma(1.0, 1.0, n)),
            "months": np.ceil(10 * rng.exponential(np.exp(-eta))),
            "died": (rng.random(n) < 0.7).astype(int),
        }
    )


def design(table: pd.DataFrame, columns: list[str]) -> np.ndarray:
    if not columns:
        return np.empty((len(table), 0))
    return pd.get_dummies(table[columns], drop_first=True).to_numpy(dtype=float)


def log_likelihood(table: pd.DataFrame, family: str, columns: list[str]) -> float:
    y, X = table[TARGETS[family]], design(table, columns)
    with_intercept = np.column_stack([np.ones(len(table)), X])
    exact = {"disp": 0, "method": "bfgs", "maxiter": 2_000, "gtol": 1e-8}
    if family == "ordinal" and X.shape[1] == 0:
        counts = y.value_counts().to_numpy()
        return float(counts @ np.log(counts / counts.sum()))
    fits = {
        "linear": lambda: sm.OLS(y, with_intercept).fit().llf,
        "logistic": lambda: sm.Logit((y == "yes").astype(int), with_intercept).fit(disp=0).llf,
        "multinomial": lambda: (
            sm.MNLogit(y.astype("category").cat.codes, with_intercept).fit(disp=0).llf
        ),
        "ordinal": lambda: OrderedModel(y, X, distr="logit").fit(**exact).llf,
        "poisson": lambda: sm.Poisson(y, with_intercept).fit(disp=0).llf,
        "negative_binomial": lambda: sm.NegativeBinomial(y, with_intercept).fit(**exact).llf,
        "cox": lambda: cox(table, X),
    }
    return float(fits[family]())


def cox(table: pd.DataFrame, X: np.ndarray) -> float:
    if X.shape[1] == 0:
        X = np.zeros((len(table), 1))
        return float(sm.PHReg(table.months, X, status=table.died, ties="efron").loglike([0.0]))
    ours = sm.PHReg(table.months, X, status=table.died, ties="efron").fit().llf
    frame = pd.DataFrame(X).assign(months=table.months, died=table.died)
    theirs = CoxPHFitter().fit(frame, "months", "died", fit_options={"precision": 1e-12})
    assert abs(ours - theirs.log_likelihood_) < 1e-6
    return float(ours)


def main() -> None:
    warnings.simplefilter("ignore")
    table = drawn()
    values = [
        {
            "family": family,
            "x": x,
            "given": given,
            "ratio": 2.0
            * (log_likelihood(table, family, [*given, x]) - log_likelihood(table, family, given)),
        }
        for family in TARGETS
        for x, given in QUESTIONS
    ]
    versions = {name: version(name) for name in ("statsmodels", "lifelines", "numpy", "pandas")}
    record = {"versions": versions, "table": table.to_dict("list"), "values": values}
    RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
