"""Every selector by name selects columns of any kind, and what depends on the target stays."""

import numpy as np
import pytest
from scipy import sparse

from eiderdown import Dataset, find_boundary, find_interactions, find_parents_children
from eiderdown.api.selection import SelectionTable
from eiderdown.api.selectors import COMMON, SELECTORS
from eiderdown.boundary import ALGORITHMS
from eiderdown.data.prepare import prepare_target
from eiderdown.errors import OptionError
from eiderdown.svm.elimination import Narrowing, recursive_elimination
from eiderdown.svm.rankings import relief_selection

pytestmark = pytest.mark.filterwarnings(
    "ignore::eiderdown.errors.EiderdownWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
OF_CLASSES = {
    "kruskal_wallis_50",
    "kruskal_wallis_20",
    "signal_to_noise_50",
    "signal_to_noise_20",
    "l1_products",
}
SEARCHED = ("iamb", "hiton_pc_3", "hiton_pc_2", "mmpc_3", "mmpc_2", "hiton_mb", "mmmb")


def task_of(table, degree=2, C=1.0, class_weight=None):
    prepared = prepare_target(table, "y")
    made = SelectionTable(prepared, degrees=[degree], Cs=[C], class_weight=class_weight, n_jobs=1)
    ((train, _),) = made.splits(2, 0.2, 0)
    return made.task(train, 0)


def mixed(n_rows=240, n_classes=2):
    """Text, counts and numbers; the class depends on 'dose' alone."""
    rng = np.random.default_rng(7)
    dose = rng.normal(size=n_rows)
    noisy = dose + 0.4 * rng.normal(size=n_rows)
    cuts = np.quantile(noisy, np.arange(1, n_classes) / n_classes)
    return {
        "dose": dose,
        "hat": rng.choice(["red", "green", "blue"], n_rows),
        "sex": rng.choice(["f", "m"], n_rows),
        **{f"noise{i}": rng.normal(size=n_rows) for i in range(4)},
        "children": rng.integers(0, 4, n_rows),
        "y": np.array(["low", "mid", "top"])[np.digitize(noisy, cuts)],
    }


@pytest.fixture(scope="module")
def two_classes():
    return task_of(mixed())


@pytest.fixture(scope="module")
def three_classes():
    return task_of(mixed(n_classes=3), class_weight="balanced")


@pytest.fixture(scope="module")
def numbers():
    table = mixed()
    table = {k: v for k, v in table.items() if k not in ("hat", "sex")}
    return task_of({**table, "y": table["dose"] + 0.1 * table["noise0"]})


@pytest.fixture(scope="module")
def thin():
    rng = np.random.default_rng(8)
    X = (rng.random((200, 40)) < 0.2).astype(int)
    y = X[:, 5] | X[:, 9] | (rng.random(200) < 0.05)
    names = [f"bit{i:02}" for i in range(40)]
    data = Dataset.from_sparse(sparse.csc_array(X), names=names, extra={"y": y.astype(int)})
    return task_of(data, degree=1)


@pytest.mark.parametrize("name", SELECTORS.names)
def test_every_selector_keeps_what_the_classes_depend_on(two_classes, name):
    columns = SELECTORS[name].run(two_classes)
    assert "dose" in columns
    assert set(columns) <= set(two_classes.data.names) - {"y"}
    assert columns == tuple(sorted(columns))


@pytest.mark.parametrize("name", ["l1", *COMMON])
def test_more_than_two_classes_can_be_told_apart(three_classes, name):
    assert "dose" in SELECTORS[name].run(three_classes)


@pytest.mark.parametrize("name", sorted(set(SELECTORS.names) - OF_CLASSES))
def test_numbers_can_be_the_target(numbers, name):
    assert "dose" in SELECTORS[name].run(numbers)


@pytest.mark.parametrize("name", sorted(OF_CLASSES))
def test_scores_of_classes_refuse_numbers(numbers, name):
    with pytest.raises(OptionError, match="needs classes, but target 'y' is continuous"):
        SELECTORS[name].run(numbers)


@pytest.mark.parametrize("name", SELECTORS.names)
def test_sparse_tables_are_taken(thin, name):
    assert sparse.issparse(thin.X)
    columns = SELECTORS[name].run(thin)
    assert {"bit05", "bit09"} <= set(columns)


def test_columns_of_a_sparse_svm_are_those_of_its_products():
    X = np.random.default_rng(0).integers(0, 2, size=(300, 12))
    columns = {f"b{i:02}": column for i, column in enumerate(X.T)} | {"y": X[:, 4] != X[:, 9]}
    task = task_of(Dataset.from_columns(columns), degree=2)
    assert SELECTORS["l1_products"].run(task) == ("b04", "b09")


def test_none_keeps_everything(two_classes):
    assert set(SELECTORS["none"].run(two_classes)) == set(two_classes.data.names) - {"y"}


@pytest.mark.parametrize("name", SEARCHED)
def test_searches_are_those_of_the_library(two_classes, name):
    algorithm, _, max_given = name.rpartition("_") if name[-1].isdigit() else (name, "", None)
    if name in ("hiton_mb", "mmmb"):
        max_given = 3
    params = {} if name == "iamb" else {"symmetry": "none"}
    if name.startswith("hiton"):
        params["interleaving"] = "semi"
    find = find_parents_children if algorithm in ("hiton_pc", "mmpc") else find_boundary
    found = find(
        two_classes.data,
        target="y",
        algorithm=ALGORITHMS[algorithm].with_params(params),
        alpha=0.05,
        max_given=None if max_given is None else int(max_given),
    )
    assert SELECTORS[name].run(two_classes) == tuple(sorted(found.members))


def test_narrowing_is_that_of_the_library(two_classes):
    task = two_classes
    how = Narrowing(degree=2, C=1.0, keep=0.8, random_state=task.random_state)
    eliminated = recursive_elimination(task.X, task.y, how)
    expected = {task.source_columns[i] for i in eliminated.members}
    assert set(SELECTORS["rfe_20"].run(task)) == expected
    ranked = relief_selection(task.X, task.y, how, n_neighbours=1)
    assert set(SELECTORS["relief_1_20"].run(task)) == {
        task.source_columns[i] for i in ranked.members
    }


def test_feature_space_blanket_is_that_of_the_library(two_classes):
    found = find_interactions(
        two_classes.data,
        target="y",
        degree=2,
        C=1.0,
        folds=0,
        random_state=two_classes.random_state,
    )
    assert SELECTORS["fsmb"].run(two_classes) == tuple(sorted(found.variables))


def test_names_of_the_thesis_are_all_there():
    wanted = {"none", "random_forest", "elastic_net", "l1", "iamb", "hiton_mb", "mmmb", "fsmb"}
    wanted |= {
        f"{way}_{dropped}" for way in ("rfe", "relief_1", "relief_5") for dropped in (20, 50)
    }
    wanted |= OF_CLASSES | {f"{way}_{k}" for way in ("hiton_pc", "mmpc") for k in (2, 3)}
    wanted |= {f"koller_sahami_{k}" for k in (0, 1, 2)}
    assert wanted <= set(SELECTORS.names)
    assert set(COMMON) <= set(SELECTORS.names)


def test_indicators_of_text_are_told_by_their_column(two_classes):
    assert two_classes.source_columns.count("hat") == 3
    assert two_classes.sources(two_classes.numeric_of(["hat"])) == ("hat",)
    assert len(two_classes.numeric_of(["hat", "dose"])) == 4
