"""``eiderdown compare`` and ``selectors``: which columns serve prediction best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeVar

import typer

from eiderdown.cli.manners import require_folder
from eiderdown.cli.options import (
    AsJson,
    DataFile,
    Exclude,
    KindOf,
    Out,
    Quiet,
    Seed,
    Target,
    Workers,
    table_of,
)
from eiderdown.errors import OptionError

Number = TypeVar("Number", int, float)


def compare(  # noqa: PLR0913  typer reads the options from the parameters
    data: DataFile,
    *,
    target: Target,
    selectors: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="See 'eiderdown selectors'; or 'all'. One of each sort by default.",
        ),
    ] = None,
    exclude: Exclude = None,
    kind: KindOf = None,
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 5,
    test_share: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Judge on this share of the rows instead, once."),
    ] = None,
    degrees: Annotated[
        str, typer.Option(metavar="N,...", help="Degrees of the kernel to choose from.")
    ] = "1,2,3",
    Cs: Annotated[
        str, typer.Option("--Cs", metavar="C,...", help="Costs of errors to choose from.")
    ] = "1e-8,1e-6,1e-4,1e-2,1,100",
    inner_folds: Annotated[int, typer.Option(help="Folds of that choice.")] = 5,
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Let errors on rare classes cost more.")
    ] = False,
    max_seconds_each: Annotated[
        float | None,
        typer.Option(metavar="S", help="Give a selector up whose selection takes longer."),
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Compare selectors of columns by how well an SVM predicts with what they select."""
    from eiderdown.api import compare_selectors
    from eiderdown.cli.output import deliver

    require_folder(out)
    names = None if selectors is None else [name.strip() for name in selectors.split(",")]
    result = compare_selectors(
        table_of(data, kind),
        target=target,
        selectors="all" if names == ["all"] else names,
        exclude=exclude or [],
        folds=folds,
        test_share=test_share,
        degrees=_numbers("--degrees", degrees, int),
        Cs=_numbers("--Cs", Cs, float),
        inner_folds=inner_folds,
        class_weight="balanced" if balanced else None,
        max_seconds_each=max_seconds_each,
        random_state=seed,
        n_jobs=workers,
        progress=not quiet,
    )
    deliver(result, as_json=as_json, out=out)


def list_selectors() -> None:
    """List the selectors of columns that can be compared."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from eiderdown.api.selectors import SELECTORS

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("selector", no_wrap=True)
    table.add_column("what it does")
    for selector in SELECTORS:
        table.add_row(selector.name, selector.summary)
    Console().print(table)


def _numbers(option: str, words: str, read: Callable[[str], Number]) -> list[Number]:
    try:
        return [read(word) for word in words.split(",")]
    except ValueError:
        kind = "whole numbers" if read is int else "numbers"
        raise OptionError(
            f"{option} {words!r} is no list of {kind}; write them with commas between, such as 1,2."
        ) from None
