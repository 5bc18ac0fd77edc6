"""Options that several commands share, declared once, and what they mean to the library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

import typer

from eiderdown.errors import OptionError

if TYPE_CHECKING:
    from eiderdown.api import EvidenceOptions
    from eiderdown.data import Dataset

# The library's own literals, spelled out so that --help need not import the library.
Test: TypeAlias = Literal["auto", "g_square", "chi_square", "fisher_z", "student_t"]
Dof: TypeAlias = Literal["adjusted", "nominal"]
Rule: TypeAlias = Literal["rows_per_stratum", "rows_per_dof", "rows_per_cell", "always"]
Collinear: TypeAlias = Literal["error", "drop", "shrink"]


def _any_of(choices: object) -> str:
    *others, last = get_args(choices)
    return f"{', '.join(others)} or {last}"


DataFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="FILE", help="A .csv, .csv.gz, .tsv or .parquet file.")
]
Target: TypeAlias = Annotated[str, typer.Option(help="Column to ask about.")]
AlgorithmName: TypeAlias = Annotated[
    str, typer.Option("--algorithm", help="Search to use; see 'eiderdown algorithms'.")
]
Alpha: TypeAlias = Annotated[float, typer.Option(help="Significance level, between 0 and 1.")]
MaxGiven: TypeAlias = Annotated[
    int | None, typer.Option(metavar="N", help="Largest conditioning set.")
]
Required: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--require", metavar="COLUMN", help="Column that must be in the answer; may be repeated."
    ),
]
Exclude: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Column to leave out; may be repeated."),
]
Setting: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Option of the algorithm's own; may be repeated."
    ),
]
KindOf: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=KIND", help="Read a column as discrete or continuous; may be repeated."
    ),
]
TestName: TypeAlias = Annotated[
    Test, typer.Option(metavar="TEST", help=f"Test of independence: {_any_of(Test)}.")
]
DofManner: TypeAlias = Annotated[
    Dof, typer.Option(metavar="DOF", help=f"Degrees of freedom of discrete tests: {_any_of(Dof)}.")
]
ReliabilityRule: TypeAlias = Annotated[
    Rule,
    typer.Option(
        metavar="RULE", help=f"What the rows are compared with to trust a test: {_any_of(Rule)}."
    ),
]
ReliabilityFactor: TypeAlias = Annotated[
    float, typer.Option(help="How many rows are wanted for each.")
]
CollinearManner: TypeAlias = Annotated[
    Collinear,
    typer.Option(
        metavar="MANNER",
        help=f"What to do with continuous columns that repeat others: {_any_of(Collinear)}.",
    ),
]
Seed: TypeAlias = Annotated[
    int, typer.Option(help="The same seed makes the same random choices, if there are any.")
]
Workers: TypeAlias = Annotated[
    int | None, typer.Option(metavar="N", help="Threads; every core by default.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print the result as JSON only.")]
Out: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE.json", help="Save the result as JSON, too.")
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]


def evidence_options(
    test: Test, dof: Dof, rule: Rule, factor: float, collinear: Collinear
) -> EvidenceOptions:
    """Say how independence is tested."""
    from eiderdown.api import EvidenceOptions
    from eiderdown.independence import Reliability

    reliability = Reliability(rule=rule, factor=factor)
    return EvidenceOptions(test=test, dof=dof, reliability=reliability, collinear=collinear)


def table_of(path: Path, kinds: list[str] | None) -> Dataset:
    """Read a file; a column's own name in ``COLUMN=KIND`` may hold equals signs."""
    from eiderdown.data import Dataset

    said = {}
    for words in kinds or []:
        column, equals, kind = words.rpartition("=")
        if not equals:
            raise OptionError(
                f"--kind {words!r} does not say which kind; write {words}=discrete or "
                f"{words}=continuous."
            )
        said[column] = kind
    return Dataset.of(path, kinds=said)


def params_of(algorithm: Any, words: list[str] | None) -> dict[str, Any]:
    """Read ``NAME=VALUE`` as options of an algorithm, each of its own type."""
    from eiderdown.registry import Entry

    params: dict[str, str] = {}
    for word in words or []:
        name, equals, value = word.partition("=")
        if not equals:
            raise OptionError(f"--set {word!r} gives no value; write {word}=VALUE.")
        params[name] = value
    if isinstance(algorithm, Entry):
        return dict(algorithm.with_texts(params).params)
    return {
        name: algorithm.option(name).of_text(algorithm.name, value)
        for name, value in params.items()
    }
