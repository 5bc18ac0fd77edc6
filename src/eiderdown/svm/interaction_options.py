"""What searches for interactions take: about SVMs, their monomials, and the tests of those."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypedDict

from eiderdown.options import Option
from eiderdown.shared_options import Names, RunOptions, TableOptions
from eiderdown.svm.approximation import ApproximationOptions
from eiderdown.svm.numeric import CodingName
from eiderdown.svm.weights.search import Method


class MonomialSearchOptions(TypedDict, total=False):
    """What the verb and the selector take, about an SVM and the search among its monomials."""

    n_monomials: Annotated[
        int,
        Option(
            "how many products, of the largest weights, are judged",
            default=50,
            at_least=1,
            flag="--monomials",
        ),
    ]
    method: Annotated[
        Method,
        Option(
            "how the largest weights are searched; see eiderdown.svm.top_monomials",
            default="exact",
            metavar="METHOD",
            command_help="how the largest weights are searched: exact, heur1, heur2 or brute_force",
        ),
    ]
    max_built: Annotated[
        int | None,
        Option(
            "products that this search may build, for each pair of classes; None for what takes a "
            "minute or two",
            default=None,
            at_least=1,
            metavar="N",
        ),
    ]
    penalty: Annotated[
        Literal["l2", "l1"],
        Option(
            "whether products are proposed by an SVM that spreads its weights over all of them "
            "('l2'), or by a sparse one that gives most of them none ('l1'); the latter is for "
            "classes",
            default="l2",
        ),
    ]
    class_weight: Annotated[
        Literal["balanced"] | None,
        Option("whether an error on a rare class costs the SVM more", default=None),
    ]
    strict: Annotated[
        bool | None,
        Option(
            "whether to divide alpha by the number of all products; None to leave out those that "
            "do not pass so strictly only where others do",
            default=None,
        ),
    ]
    algorithm: Annotated[
        Any,
        Option(
            "the local search among the products: a name, or a configured search such as "
            "HITON_MB(symmetry='and'); a correction by symmetry has to be asked for",
            default="hiton_mb",
            command_help="local search among the products; 'eiderdown algorithms interactions' "
            "lists them",
        ),
    ]
    alpha: Annotated[float, Option("significance level of the tests", default=0.05, inside=(0, 1))]
    max_given: Annotated[
        int | None, Option("largest conditioning set", default=3, at_least=0, metavar="N")
    ]
    test: Annotated[
        Any,
        Option(
            "test of independence, as in find_boundary; by default products with few distinct "
            "values are tested as categories; if some have more, Fisher's z with the class as a "
            "number, and Wilks' test for more than two classes",
            default="auto",
        ),
    ]
    required: Annotated[
        Names,
        Option(
            "columns that must be in the kept products",
            default=(),
            flag="--require",
            metavar="COLUMN",
        ),
    ]


MOST_COST: Final = 1e30
"""Of an error; LIBSVM takes larger ones for infinite."""

MOST_DEGREE: Final = 20
"""Above which a kernel of anything that varies is 0 or infinite."""


class InteractionOptions(
    MonomialSearchOptions, ApproximationOptions, TableOptions, RunOptions, total=False
):
    """The options of :func:`find_interactions`."""

    degree: Annotated[
        int | None,
        Option(
            "degree of the kernel: how many columns a product may have; None to choose from 1 to 4 "
            "by cross-validation",
            default=None,
            between=(1, MOST_DEGREE),
            metavar="N",
        ),
    ]
    C: Annotated[
        float | None,
        Option(
            "what a row on the wrong side costs the SVM; None to choose from 1e-8 to 1e3",
            default=None,
            between=(0, MOST_COST),
            metavar="C",
        ),
    ]
    max_seconds: Annotated[
        float | None,
        Option(
            "seconds that the search for the largest weights may take, for each pair of classes",
            default=None,
            at_least=0,
            metavar="S",
        ),
    ]
    coding: Annotated[
        CodingName,
        Option(
            "scale columns to [-1, 1] ('signs'), to [0, 1] as sparse tables need it ('zero_one'), "
            "or to mean 0 and standard deviation 1 ('standard')",
            default="auto",
            metavar="CODING",
        ),
    ]
    folds: Annotated[
        int,
        Option(
            "folds of the cross-validations; 0 for none, if degree and C are given",
            default=5,
            at_least=0,
        ),
    ]
    nested: Annotated[
        bool,
        Option(
            "if degree or C are chosen, whether to estimate what the choice is worth by repeating "
            "it within each fold, which takes several times as long",
            default=True,
        ),
    ]
