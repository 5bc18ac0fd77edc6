"""The section of docs/performance.md on feature space; ``render_performance.py`` puts it there."""

from __future__ import annotations

from typing import Any

_MOST_SECONDS = 15.0  # for the contributions of Thrombin


def section(record: dict[str, Any] | None) -> str:
    """Return the section; without a record, how to make one."""
    heading = "## Reading polynomial SVMs\n"
    if record is None:
        return f"{heading}\nNot measured: run `make benchmark-feature-space`.\n"
    contributions = "\n".join(map(_contributions, record["contributions"]))
    searches = "\n".join(map(_search, record["searches"]))
    return f"""{heading}
`make benchmark-feature-space` runs `benchmarks/feature_space.py`. *Contributions* are the sums of
squared weights by degree and variable; the unit is one product of the vectors' inner products with
the vectors. The thesis loops over the variables.

| vectors | variables | degree | matrix products | times as fast as the loop |
|---:|---:|---:|---:|---:|
{contributions}

Searches for the top monomial of SVMs in which one stands out, as times over the exact search's.
Brute force is made of matrix products as well, and wins where the exact search's bounds cost more
than building everything.

| vectors | variables | degree | monomials | built by exact | brute force | Heur1 | Heur2 |
|---:|---:|---:|---:|---:|---:|---:|---:|
{searches}

- Training on 400 rows x 2,000 columns: scikit-learn's own polynomial kernel takes
  {record["training"]["svc_over_ours"]:.1f} times as long as one matrix product and LIBSVM.
{_thrombin(record["thrombin"])}"""


def _contributions(row: dict[str, Any]) -> str:
    return (
        f"| {row['vectors']:,} | {row['variables']:,} | {row['degree']} "
        f"| {row['in_products']:.1f} | {row['times_faster_than_loop']:.0f} |"
    )


def _search(row: dict[str, Any]) -> str:
    others = " | ".join(
        f"{row[f'{method}_over_exact']:.1f}" for method in ("brute_force", "heur1", "heur2")
    )
    return (
        f"| {row['vectors']:,} | {row['variables']:,} | {row['degree']} | {row['features']:,} "
        f"| {row['built']:,} | {others} |"
    )


def _thrombin(found: dict[str, Any] | None) -> str:
    if found is None:
        return "- Thrombin was not there.\n"
    seconds = found["contributions_seconds"]
    verdict = "met" if seconds < _MOST_SECONDS else "missed"
    return (
        f"- Thrombin, degree 2, {found['support_vectors']:,} support vectors: contributions of "
        f"139,351 variables take {seconds:.1f} s\n  (under {_MOST_SECONDS:.0f} s: {verdict}); of "
        f"{found['features']:,} monomials the top 1,000 take {found['top_1000_seconds']:.1f} s, "
        f"{found['top_1000_proven']:,} of\n  them proven, with {found['built']:,} built.\n"
    )
