"""``eiderdown find``: the boundary of a column of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias, get_args

import typer

from eiderdown.cli.manners import INTERRUPTED, require_folder, writing
from eiderdown.errors import OptionError

# The library's own literals, spelled out so that --help need not import the library.
Test: TypeAlias = Literal["auto", "g_square", "chi_square", "fisher_z", "student_t"]
Dof: TypeAlias = Literal["adjusted", "nominal"]
Rule: TypeAlias = Literal["rows_per_dof", "rows_per_cell", "always"]
Collinear: TypeAlias = Literal["error", "drop", "shrink"]


def _any_of(choices: object) -> str:
    *others, last = get_args(choices)
    return f"{', '.join(others)} or {last}"


def find(  # noqa: PLR0913  typer reads the options from the parameters
    data: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .csv, .csv.gz, .tsv or .parquet file.")
    ],
    *,
    target: Annotated[str, typer.Option(help="Column whose boundary is wanted.")],
    algorithm: Annotated[str, typer.Option(help="Search to use.")] = "iamb",
    alpha: Annotated[float, typer.Option(help="Level of the tests, between 0 and 1.")] = 0.01,
    max_given: Annotated[
        int | None, typer.Option(metavar="N", help="Largest conditioning set.")
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Column to leave out; may be repeated."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=KIND", help="Read a column as discrete or continuous; may be repeated."
        ),
    ] = None,
    test: Annotated[
        Test, typer.Option(metavar="TEST", help=f"Test of independence: {_any_of(Test)}.")
    ] = "auto",
    dof: Annotated[
        Dof,
        typer.Option(metavar="DOF", help=f"Degrees of freedom of discrete tests: {_any_of(Dof)}."),
    ] = "adjusted",
    reliability_rule: Annotated[
        Rule,
        typer.Option(
            metavar="RULE",
            help=f"What the rows are compared with to trust a test: {_any_of(Rule)}.",
        ),
    ] = "rows_per_dof",
    reliability_factor: Annotated[
        float, typer.Option(help="How many rows are wanted for each.")
    ] = 5.0,
    collinear: Annotated[
        Collinear,
        typer.Option(
            metavar="MANNER",
            help=f"What to do with continuous columns that repeat others: {_any_of(Collinear)}.",
        ),
    ] = "error",
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Threads; every core by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON only.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Save the result as JSON, too.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Find the Markov boundary of a column, with the evidence for each decision."""
    from eiderdown.api import EvidenceOptions, find_boundary
    from eiderdown.cli.output import print_result
    from eiderdown.data import Dataset
    from eiderdown.independence import Reliability

    if out is not None:
        require_folder(out)
    evidence = EvidenceOptions(
        test=test,
        dof=dof,
        reliability=Reliability(rule=reliability_rule, factor=reliability_factor),
        collinear=collinear,
    )
    result = find_boundary(
        Dataset.of(data, kinds=_kinds(kind or [])),
        target=target,
        algorithm=algorithm,
        alpha=alpha,
        max_given=max_given,
        exclude=exclude or [],
        evidence=evidence,
        n_workers=workers,
        progress=not quiet,
    )
    print_result(result, as_json=as_json)
    if out is not None:
        with writing(out):
            result.save(out)
    if not result.complete:
        raise typer.Exit(INTERRUPTED)


def _kinds(sayings: list[str]) -> dict[str, str]:
    """Read ``COLUMN=KIND``; a column's own name may hold equals signs."""
    kinds = {}
    for saying in sayings:
        column, equals, kind = saying.rpartition("=")
        if not equals:
            raise OptionError(
                f"--kind {saying!r} does not say which kind; write {saying}=discrete or "
                f"{saying}=continuous."
            )
        kinds[column] = kind
    return kinds
