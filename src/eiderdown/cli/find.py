"""``eiderdown find`` and ``eiderdown parents-children``: what is around a column of a file."""

from __future__ import annotations

from typing import Annotated

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


def find(  # noqa: PLR0913  typer reads the options from the parameters
    data: DataFile,
    *,
    target: Target,
    algorithm: AlgorithmName = "iamb",
    alpha: Alpha = 0.01,
    max_given: MaxGiven = None,
    required: Required = None,
    exclude: Exclude = None,
    setting: Setting = None,
    kind: KindOf = None,
    test: TestName = "auto",
    test_setting: TestSetting = None,
    check_interactions: Annotated[
        bool,
        typer.Option(
            "--check-interactions",
            help="Warn if columns outside predict better by interactions with others.",
        ),
    ] = False,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Find the Markov boundary of a column, with the evidence for each decision."""
    from eiderdown.api import find_boundary
    from eiderdown.boundary import BOUNDARY_ALGORITHMS
    from eiderdown.cli.output import deliver

    require_folder(out)
    search = BOUNDARY_ALGORITHMS[algorithm]
    result = find_boundary(
        table_of(data, kind),
        target=target,
        algorithm=search.with_texts(pairs_of("--set", setting)),
        alpha=alpha,
        max_given=max_given,
        required=required or [],
        exclude=exclude or [],
        test=test_of(test, test_setting),
        check_interactions=check_interactions,
        random_state=seed,
        n_jobs=workers,
        progress=not quiet,
    )
    deliver(result, as_json=as_json, out=out)


def neighbours(  # noqa: PLR0913  typer reads the options from the parameters
    data: DataFile,
    *,
    target: Target,
    algorithm: AlgorithmName = "get_pc",
    alpha: Alpha = 0.01,
    max_given: MaxGiven = None,
    required: Required = None,
    exclude: Exclude = None,
    setting: Setting = None,
    kind: KindOf = None,
    test: TestName = "auto",
    test_setting: TestSetting = None,
    workers: Workers = None,
    as_json: AsJson = False,
    out: Out = None,
    quiet: Quiet = False,
) -> None:
    """Find the parents and children of a column: those that no others separate from it."""
    from eiderdown.api import find_parents_children
    from eiderdown.boundary import PARENTS_CHILDREN_ALGORITHMS
    from eiderdown.cli.output import deliver

    require_folder(out)
    result = find_parents_children(
        table_of(data, kind),
        target=target,
        algorithm=PARENTS_CHILDREN_ALGORITHMS[algorithm].with_texts(pairs_of("--set", setting)),
        alpha=alpha,
        max_given=max_given,
        required=required or [],
        exclude=exclude or [],
        test=test_of(test, test_setting),
        n_jobs=workers,
        progress=not quiet,
    )
    deliver(result, as_json=as_json, out=out)
