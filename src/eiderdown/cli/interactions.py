"""``eiderdown interactions``: products of columns that matter together."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import typer

from eiderdown.cli.manners import require_folder
from eiderdown.cli.options import (
    AlgorithmName,
    Alpha,
    AsJson,
    DataFile,
    Exclude,
    KindOf,
    MaxGiven,
    Out,
    Quiet,
    Required,
    Seed,
    Setting,
    Target,
    TestName,
    TestSetting,
    Workers,
    pairs_of,
    table_of,
    test_of,
)

# The library's own literals, spelled out so that --help need not import the library.
MethodChoice: TypeAlias = Literal["exact", "heur2", "heur1", "brute_force"]
CodingChoice: TypeAlias = Literal["auto", "signs", "zero_one"]


def interactions(  # noqa: PLR0913  typer reads the options from the parameters
    data: DataFile,
    *,
    target: Target,
    degree: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many columns a product may have; chosen by default."),
    ] = None,
    C: Annotated[
        float | None,
        typer.Option("--C", metavar="C", help="The SVM's cost of errors; chosen by default."),
    ] = None,
    monomials: Annotated[
        int, typer.Option(help="How many products, of the largest weights, to judge.")
    ] = 50,
    method: Annotated[
        MethodChoice, typer.Option(metavar="METHOD", help="Search for the largest weights.")
    ] = "exact",
    max_built: Annotated[
        int | None,
        typer.Option(metavar="N", help="Products that it may build; by default a minute's worth."),
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Seconds that it may take.")
    ] = None,
    algorithm: AlgorithmName = "hiton_mb",
    alpha: Alpha = 0.05,
    strict: Annotated[
        bool | None,
        typer.Option(
            "--strict/--not-strict",
            help="Divide alpha by the number of all products; if not said, only where some pass.",
        ),
    ] = None,
    max_given: MaxGiven = 3,
    required: Required = None,
    exclude: Exclude = None,
    setting: Setting = None,
    kind: KindOf = None,
    test: TestName = "auto",
    test_setting: TestSetting = None,
    coding: Annotated[
        CodingChoice, typer.Option(metavar="CODING", help="Scale to -1..1 or to 0..1.")
    ] = "auto",
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Let errors on rare classes cost more.")
    ] = False,
    folds: Annotated[
        int, typer.Option(help="Folds of cross-validations; 0 for none, if nothing is chosen.")
    ] = 5,
    nested: Annotated[
        bool, typer.Option(help="Estimate by nested folds what the choice is worth.")
    ] = True,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Find products of columns that tell of a column what single columns may not."""
    from eiderdown.api import find_interactions
    from eiderdown.boundary import ALGORITHMS
    from eiderdown.cli.output import deliver

    require_folder(out)
    result = find_interactions(
        table_of(data, kind),
        target=target,
        degree=degree,
        C=C,
        n_monomials=monomials,
        method=method,
        max_built=max_built,
        max_seconds=max_seconds,
        algorithm=ALGORITHMS[algorithm].with_texts(pairs_of("--set", setting)),
        alpha=alpha,
        strict=strict,
        max_given=max_given,
        required=required or [],
        exclude=exclude or [],
        test=test_of(test, test_setting),
        coding=coding,
        class_weight="balanced" if balanced else None,
        folds=folds,
        nested=nested,
        random_state=seed,
        n_jobs=workers,
        progress=not quiet,
    )
    deliver(result, as_json=as_json, out=out)
