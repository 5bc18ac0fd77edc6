"""The options that many verbs, estimators and algorithms take, and how tables are read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from eiderdown.memory import Memory
from eiderdown.options import Option

Alpha: TypeAlias = Annotated[
    float, Option("significance level of the tests", default=0.01, inside=(0, 1))
]
MaxGiven: TypeAlias = Annotated[
    int | None,
    Option(
        "largest conditioning set; None for the algorithm's own choice",
        default=None,
        at_least=0,
        metavar="N",
    ),
]
Label: TypeAlias = Any
"""A column: its name, or whatever its table labels it by, such as a number."""

IndependenceTestSource: TypeAlias = Annotated[
    Any,
    Option(
        "test of independence: a name, a configured test such as G_SQUARE(dof='nominal'), or a "
        "function that makes one from a Dataset; 'auto' goes by the columns",
        default="auto",
        command_help="test of independence; 'auto' goes by the columns",
    ),
]
Names: TypeAlias = Collection[Label]
RandomSeed: TypeAlias = Annotated[
    int | None,
    Option(
        "seed of random choices; None for other choices each time",
        default=0,
        between=(0, 2**32 - 1),  # what NumPy's older generators and scikit-learn take
        flag="--seed",
    ),
]


class MissingOptions(TypedDict, total=False):
    """What every verb and every estimator that learns from a table takes."""

    missing: Annotated[
        Literal["testwise", "level", "impute", "drop", "error"],
        Option(
            "what becomes of missing values: each test leaves out the rows in which a column of "
            "its own has none; they are a category; they are filled in several times; rows with "
            "any are dropped; or they are refused",
            default="testwise",
        ),
    ]


class RowOptions(TypedDict, total=False):
    """What every verb says about the rows of the table."""

    row_counts: Annotated[
        Any,
        Option(
            "how often each row occurs: a column of whole numbers, or an array of them",
            default=None,
            metavar="COLUMN",
            command_help="how often each row occurs: a column of whole numbers",
        ),
    ]
    sample_weight: Annotated[
        Any,
        Option(
            "what each row counts for, as in surveys or by inverse probabilities: a column or an "
            "array; tests then are robust ones",
            default=None,
            metavar="COLUMN",
            command_help="what each row counts for, as in surveys: a column; tests are robust ones",
        ),
    ]
    groups: Annotated[
        Any,
        Option(
            "which rows belong together, such as those of one patient: a column or an array; tests "
            "then are robust ones",
            default=None,
            metavar="COLUMN",
            command_help="which rows belong together, such as those of one patient: a column; "
            "tests then are robust ones",
        ),
    ]


class KindOptions(TypedDict, total=False):
    """What columns hold."""

    kinds: Annotated[
        Mapping[Any, Any] | None,
        Option(
            "what columns hold, where it should not be inferred: category, ordered (or the order: "
            "'low < high'), number, count or date; * in a name stands for anything",
            default=None,
            flag="--kind",
            metavar="COLUMN=KIND",
        ),
    ]


class ExcludeOptions(TypedDict, total=False):
    """What acts before anything of a table is looked at."""

    exclude: Annotated[
        Names, Option("columns to leave out, such as identifiers", default=(), metavar="COLUMN")
    ]


class MemoryOptions(TypedDict, total=False):
    """What is said about tables that are larger than memory."""

    memory: Annotated[
        Memory | None,
        Option(
            "memory to keep to, such as 2GB: files of a larger table are packed on disk once, and "
            "worked on part by part; None for what is free",
            default=None,
            metavar="SIZE",
        ),
    ]
    store: Annotated[
        Path | None,
        Option(
            "folder in which packed tables are kept; None for one of the user's cache",
            default=None,
            metavar="FOLDER",
        ),
    ]


class ClusterOptions(TypedDict, total=False):
    """Where the rows of a table are worked on."""

    client: Annotated[
        Any,
        Option(
            "cluster that holds the rows and works on them: a client of Dask, or the address of "
            "its scheduler; None for this process",
            default=None,
            flag="--cluster",
            metavar="ADDRESS",
            command_help="cluster of Dask that works on the rows: the address of its scheduler, "
            "such as tcp://127.0.0.1:8786",
        ),
    ]


class TableOptions(
    MissingOptions,
    RowOptions,
    ExcludeOptions,
    KindOptions,
    MemoryOptions,
    ClusterOptions,
    total=False,
):
    """What every verb says about the table."""

    column_groups: Annotated[
        Any,
        Option(
            "indicator columns that come in or stay out together: a mapping from a name to columns "
            "of which at most one is 1 in each row",
            default=None,
            flag="",
        ),
    ]


class RequiredOptions(TypedDict, total=False):
    """What searches around one column take."""

    required: Annotated[
        Names,
        Option(
            "columns that must be in the answer", default=(), flag="--require", metavar="COLUMN"
        ),
    ]


class SearchOptions(TypedDict, total=False):
    """What every search by tests takes, from a verb or as an option of the algorithm itself."""

    alpha: Alpha
    max_given: MaxGiven


class TieOptions(TypedDict, total=False):
    """What searches around a column take about columns that depend on it exactly alike."""

    ties: Annotated[
        Literal["name", "random"],
        Option(
            "which of several columns that depend on the target exactly alike goes first: by name, "
            "or at random, by random_state",
            default="name",
        ),
    ]


class IndependenceOptions(SearchOptions, total=False):
    """What verbs take whose searches test independence."""

    test: IndependenceTestSource


class RememberingOptions(TypedDict, total=False):
    """What verbs take that search around very many columns."""

    test_memory: Annotated[
        Memory,
        Option(
            "memory for results of tests, of which the oldest are forgotten; answers do not depend "
            "on it",
            default=Memory("1GB"),
            at_least=Memory("1MB"),
            metavar="SIZE",
        ),
    ]


class ScoreOptions(TypedDict, total=False):
    """What verbs take whose searches score graphs."""

    score: Annotated[
        Any,
        Option(
            "score of graphs: a name, a configured score such as BDEU(equivalent_sample_size=1), "
            "or a function that makes one from a Dataset; 'auto' goes by the columns",
            default="auto",
            command_help="score of graphs; 'auto' goes by the columns",
        ),
    ]


class KnowledgeOptions(TypedDict, total=False):
    """What verbs take that learn graphs."""

    knowledge: Annotated[
        Any,
        Option(
            "tiers, required and forbidden edges, most parents: a Knowledge, a mapping, or a .json "
            "or .toml file",
            default=None,
            metavar="FILE",
            command_help="tiers, required and forbidden edges, most parents: a .json or .toml file",
        ),
    ]


class WorkOptions(TypedDict, total=False):
    """What every verb and every estimator that computes takes."""

    random_state: RandomSeed
    n_jobs: Annotated[
        int | None,
        Option(
            "how many work at once: threads, or on Linux also forked processes; None or -1 for "
            "every core; the result does not depend on it",
            default=None,
            at_least=-1,
            flag="--jobs",
            metavar="N",
        ),
    ]


class RunOptions(WorkOptions, total=False):
    """What every verb that computes takes."""

    progress: Annotated[
        bool,
        Option(
            "say on stderr what work of more than a second is doing", default=True, flag="--quiet"
        ),
    ]
    time_limit: Annotated[
        float | None,
        Option(
            "seconds after which the best so far is returned", default=None, at_least=0, metavar="S"
        ),
    ]


DateForm: TypeAlias = Literal["days", "parts"]


class ReadOptions(ExcludeOptions, KindOptions, MemoryOptions, ClusterOptions, total=False):
    """How a table is read; what is None is guessed, and the guess is said."""

    columns: Annotated[
        Names | None, Option("columns to read; None for all", default=None, metavar="COLUMN")
    ]
    na: Annotated[
        Collection[str] | None,
        Option(
            "texts that stand for missing cells, beside empty ones; None for the usual ones, such "
            "as NA and ?",
            default=None,
            metavar="TEXT",
        ),
    ]
    dates: Annotated[
        DateForm,
        Option(
            "what dates become: days since 1970, or year, month and weekday as columns of their "
            "own",
            default="days",
        ),
    ]
    day_first: Annotated[
        bool | None,
        Option("whether 1/2/2020 is in February; None to go by the other dates", default=None),
    ]
    delimiter: Annotated[
        str | None,
        Option(
            "what stands between the cells of a line: a character, 'tab' or 'space'; None to guess",
            default=None,
            metavar="TEXT",
        ),
    ]
    decimal: Annotated[
        Literal[".", ","] | None, Option("decimal point or comma; None to guess", default=None)
    ]
    thousands: Annotated[
        str | None,
        Option(
            "what groups the digits of numbers, such as ','; None to guess",
            default=None,
            metavar="TEXT",
        ),
    ]
    encoding: Annotated[
        str | None,
        Option("encoding of the text, such as latin-1; None to guess", default=None),
    ]
    header: Annotated[
        bool | None,
        Option("whether the first line holds the names of the columns; None to guess", None),
    ]
    sheet: Annotated[
        str | None, Option("sheet of an Excel workbook; None for the first", default=None)
    ]
