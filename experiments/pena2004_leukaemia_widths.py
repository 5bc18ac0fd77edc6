"""Table 1 and figures 3 to 5 of Pena, Kocka & Nielsen (2004) with categories of equal width.

Run with ``make experiment-confidence-widths``; ``--quick`` makes few runs on few tables and saves
nothing. As ``pena2004_leukaemia``, but each gene's expression is cut into three intervals of equal
width. That has nothing to do with information, but comes nearest to the paper's table 1.
"""

from __future__ import annotations

from harness import Record, data_file, quick_wanted, recording
from pena2004_cells import SEED, K
from pena2004_leukaemia import QUICK, Sizes, run
from pena2004_leukaemia_data import DISCRETISATIONS, Expression

WIDTHS = Sizes(other_k=())
"""As many runs and samples as in the paper."""


def main() -> None:
    """Run the experiment."""
    quick = quick_wanted(__doc__)
    sizes = QUICK if quick else WIDTHS
    expression = Expression.read(data_file("real/golub_leukemia.npz"))
    record = Record(
        name="pena2004_leukaemia_widths",
        title="Confidence in edges, paths and neighbours: leukaemia, categories of equal width",
        paper="Pena, Kocka & Nielsen 2004, table 1 and figures 3 to 5",
        params={
            "seed": SEED,
            "runs": sizes.n_runs,
            "samples of each share": sizes.n_samples,
            "k": K,
            "score": "BIC",
            "categories": "three, of equal width",
        },
        notes=[
            "The paper cuts expression into three categories by a method based on information "
            "theory that is lost in the text at hand. Three intervals of equal width come nearer "
            "to its table 1 than the two cuts that tell most about the disease. FP and FN are "
            "false positives and false negatives.",
        ],
    )
    with recording(record, quick=quick):
        run(record, expression.tables(DISCRETISATIONS["equal width"]), sizes, quick=quick)


if __name__ == "__main__":
    main()
