"""How fast polynomial machines are read: contributions, searches and training, as ratios.

Run with ``make benchmark-feature-space``. Every time stands beside a reference measured in the
same run: one matrix product, scikit-learn's own training, or the loop over variables that the
thesis has. Thrombin is looked for under EIDERDOWN_DATA (../shared/data by default); without it that
part is left out, and says so.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from measuring import median_seconds, thrombin_parts, write_record

from eiderdown.svm import PolynomialModel, contributions, top_monomials
from eiderdown.svm.training import fit_polynomial_svm


def loop_over_variables(model: PolynomialModel) -> np.ndarray:
    """Contributions as the thesis computes them: two kernel matrices for each variable."""
    weights = np.outer(model.alphas, model.alphas)
    sums = np.empty((model.degree, model.n_variables))
    for level in range(1, model.degree + 1):
        whole = model.gram**level
        factor = [1, model.degree, model.degree * (model.degree - 1) / 2, 1][level]
        for v, column in enumerate(model.vectors.T):
            without = (model.gram - np.outer(column, column)) ** level
            sums[level - 1, v] = factor * np.sum(weights * (whole - without))
    return sums


def of_contributions() -> list[dict[str, Any]]:
    rows = []
    generator = np.random.default_rng(0)
    for n_vectors, n_variables, degree in ((200, 100, 2), (1_000, 100, 2), (1_000, 100, 3)):
        vectors = generator.uniform(-1, 1, (n_vectors, n_variables))
        model = PolynomialModel(vectors, generator.normal(size=n_vectors), degree)
        product = median_seconds(lambda g=model.gram, x=vectors: g @ x)
        ours = median_seconds(lambda m=model: contributions(m))
        started = time.perf_counter()
        looped = loop_over_variables(model)
        loop = time.perf_counter() - started
        assert np.allclose(looped, contributions(model))
        row = {
            "vectors": n_vectors,
            "variables": n_variables,
            "degree": degree,
            "in_products": ours / product,
            "times_faster_than_loop": loop / ours,
        }
        rows.append(row)
        print(
            "  {vectors} x {variables}, degree {degree}: {in_products:.1f} matrix products, "
            "{times_faster_than_loop:.0f} times as fast as a loop".format(**row)
        )
    return rows


def of_searches() -> list[dict[str, Any]]:
    """Sparse machines: a few features stand out."""
    rows = []
    generator = np.random.default_rng(0)
    for n_vectors, n_variables, degree in ((2_000, 400, 2), (4_000, 60, 3)):
        vectors = generator.choice([-1.0, 1.0], size=(n_vectors, n_variables))
        model = PolynomialModel(vectors, vectors[:, :degree].prod(axis=1), degree)
        seconds = {
            method: median_seconds(lambda m=model, by=method: top_monomials(m, 1, method=by))
            for method in ("brute_force", "heur1", "heur2", "exact")
        }
        found = top_monomials(model, 1)
        row = {
            "vectors": n_vectors,
            "variables": n_variables,
            "degree": degree,
            "features": found.n_total,
            "built": found.n_built,
            "proven": found.proven,
            **{f"{method}_over_exact": s / seconds["exact"] for method, s in seconds.items()},
        }
        rows.append(row)
        print(
            "  {vectors} x {variables}, degree {degree}: exact builds {built:,} of {features:,}; "
            "brute force takes {brute_force_over_exact:.1f} times as long, Heur2 "
            "{heur2_over_exact:.1f}".format(**row)
        )
    return rows


def of_training() -> dict[str, float]:
    """One matrix product for the kernel, against LIBSVM's own polynomial kernel."""
    from sklearn.svm import SVC

    generator = np.random.default_rng(0)
    X = generator.uniform(-1, 1, (400, 2_000))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    ours = median_seconds(lambda: fit_polynomial_svm(X, y, degree=2, C=1.0), 3)
    theirs = median_seconds(
        lambda: SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=1.0).fit(X, y), 3
    )
    print(f"  400 x 2,000: scikit-learn's SVC takes {theirs / ours:.1f} times as long")
    return {"svc_over_ours": theirs / ours}


def of_thrombin() -> dict[str, Any] | None:
    parts = thrombin_parts()
    if parts is None:
        return None
    from scipy.sparse import csr_matrix

    ones = np.ones(len(parts["indices"]))
    X = csr_matrix((ones, parts["indices"], parts["indptr"]), shape=tuple(parts["shape"]))
    y = (parts["y"] > 0).astype(int)
    (model,) = fit_polynomial_svm(X, y, degree=2, C=1e3)
    seconds = median_seconds(lambda: contributions(model), 3)
    found = top_monomials(model, 1_000)
    result = {
        "support_vectors": model.n_vectors,
        "training_seconds": median_seconds(lambda: fit_polynomial_svm(X, y, degree=2, C=1e3), 1),
        "contributions_seconds": seconds,
        "top_1000_seconds": found.seconds,
        "top_1000_proven": found.n_proven,
        "built": found.n_built,
        "features": found.n_total,
    }
    print(
        "  {support_vectors} support vectors: contributions {contributions_seconds:.1f} s (under "
        "15 wanted); top 1,000 in {top_1000_seconds:.1f} s, {top_1000_proven:,} of them proven, "
        "{built:,} of {features:,} built".format(**result)
    )
    return result


def main() -> None:
    print("Contributions:")
    by_products = of_contributions()
    print("Searches of sparse machines, top 1:")
    searches = of_searches()
    print("Training on wide data:")
    training = of_training()
    print("Thrombin, degree 2:")
    thrombin = of_thrombin()
    write_record(
        "feature_space",
        {
            "contributions": by_products,
            "searches": searches,
            "training": training,
            "thrombin": thrombin,
        },
    )


if __name__ == "__main__":
    main()
