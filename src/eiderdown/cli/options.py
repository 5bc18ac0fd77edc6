"""Options that several commands share, declared once, and what they mean to the library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from eiderdown.errors import OptionError

if TYPE_CHECKING:
    from eiderdown.data import Dataset
    from eiderdown.registry import Test

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
    str,
    typer.Option(
        "--test",
        metavar="TEST",
        help="Test of independence: auto, g_square, chi_square, fisher_z or student_t.",
    ),
]
TestSetting: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--test-set", metavar="NAME=VALUE", help="Option of the test's own; may be repeated."
    ),
]
Seed: TypeAlias = Annotated[
    int, typer.Option(help="The same seed makes the same random choices, if there are any.")
]
Workers: TypeAlias = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Threads; every core by default.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print the result as JSON only.")]
Out: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE.json", help="Save the result as JSON, too.")
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]


def test_of(name: str, words: list[str] | None) -> Test[..., Any]:
    """Find a test by its name and configure it."""
    from eiderdown.independence.registry import TESTS

    return TESTS[name].with_texts(pairs_of("--test-set", words))


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

    pairs = pairs_of("--set", words)
    if isinstance(algorithm, Entry):
        return dict(algorithm.with_texts(pairs).params)
    return {
        name: algorithm.option(name).of_text(algorithm.name, value) for name, value in pairs.items()
    }


def pairs_of(flag: str, words: list[str] | None) -> dict[str, str]:
    """Read words of the form ``NAME=VALUE``."""
    pairs = {}
    for word in words or []:
        name, equals, value = word.partition("=")
        if not equals:
            raise OptionError(f"{flag} {word!r} gives no value; write {word}=VALUE.")
        pairs[name] = value
    return pairs
