"""Odd values for every declared option: of verbs, estimators, entries of registries and commands.

``cases()`` lists every (option, value) pair; a case is run by ``attempt(case)``, which returns None
where it ended as it should (an answer, or one sentence) and says otherwise what happened. Nothing
here is drawn at random, so that a case can be run again by its name.
"""

from __future__ import annotations

import inspect
import math
import signal
import tempfile
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

import eiderdown
from eiderdown import api, estimators
from eiderdown.boundary import ALGORITHMS
from eiderdown.errors import EiderdownError
from eiderdown.export.registry import FORMATS
from eiderdown.independence.registry import TESTS, make_test
from eiderdown.options import options_of
from eiderdown.scores.registry import SCORES, make_score
from eiderdown.shared_options import ReadOptions
from eiderdown.structure import NETWORK_ALGORITHMS, REGION_ALGORITHMS

PATIENCE = 60
"""Seconds after which a case counts as one that never ends."""


class Unprintable:
    """An object of no known type, whose text cannot be had either."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class Uncomparable:
    """An object that refuses to be compared, as arrays do."""

    def __eq__(self, other: object) -> bool:
        raise TypeError("not comparable")

    __hash__ = None  # type: ignore[assignment]


def _endless() -> Iterator[int]:
    while True:
        yield 1


ODD_VALUES: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "true": lambda: True,
    "false": lambda: False,
    "zero": lambda: 0,
    "minus_one": lambda: -1,
    "minus_two": lambda: -2,
    "one": lambda: 1,
    "googol": lambda: 10**100,
    "minus_googol": lambda: -(10**100),
    "two_to_31": lambda: 2**31,
    "two_to_40": lambda: 2**40,
    "two_to_63": lambda: 2**63,
    "beyond_floats": lambda: 10**400,
    "half": lambda: 0.5,
    "one_and_a_half": lambda: 1.5,
    "tiny": lambda: 5e-324,
    "huge": lambda: 1.7e308,
    "minus_zero": lambda: -0.0,
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "minus_inf": lambda: -math.inf,
    "complex": lambda: 1j,
    "decimal": lambda: Decimal("0.05"),
    "fraction": lambda: Fraction(1, 20),
    "numpy_int": lambda: np.int64(1),
    "numpy_bool": lambda: np.bool_(True),
    "numpy_float32": lambda: np.float32(0.05),
    "numpy_nan": lambda: np.float64("nan"),
    "numpy_text": lambda: np.str_("a"),
    "zero_d_array": lambda: np.array(1),
    "zero_d_float": lambda: np.array(0.05),
    "zero_d_text": lambda: np.array("a"),
    "one_array": lambda: np.array([1]),
    "array": lambda: np.arange(3),
    "matrix": lambda: np.ones((2, 2)),
    "text_array": lambda: np.array(["a", "b"]),
    "object_array": lambda: np.array(["a", None], dtype=object),
    "empty_array": lambda: np.array([]),
    "date": lambda: np.datetime64("2020-01-01"),
    "not_a_time": lambda: np.datetime64("NaT"),
    "pandas_na": lambda: pd.NA,
    "series": lambda: pd.Series([1.0, 2.0]),
    "frame": lambda: pd.DataFrame({"a": [0, 1]}),
    "sparse": lambda: sp.csr_matrix([[1, 0]]),
    "empty_text": lambda: "",
    "blank": lambda: " ",
    "text": lambda: "nonsense",
    "number_text": lambda: "0.05",
    "column": lambda: "a",
    "target_column": lambda: "t",
    "auto_text": lambda: "auto",
    "surrogate": lambda: "\ud800",
    "null_character": lambda: "a\0b",
    "escape": lambda: "\x1b[31m",
    "long_text": lambda: "x" * 100_000,
    "star": lambda: "*",
    "format_text": lambda: "{0!r} %s %(x)s",
    "bytes": lambda: b"a",
    "bytearray": lambda: bytearray(b"a"),
    "memoryview": lambda: memoryview(b"a"),
    "empty_list": lambda: [],
    "columns": lambda: ["a", "b"],
    "columns_twice": lambda: ["a", "a"],
    "tuple_of_numbers": lambda: (0.5, 1.0),
    "list_of_zero": lambda: [0],
    "list_of_nan": lambda: [math.nan],
    "list_of_none": lambda: [None],
    "list_of_lists": lambda: [["a"], ["b"]],
    "list_of_googols": lambda: [10**100],
    "empty_set": set,
    "set": lambda: {"a"},
    "frozenset": lambda: frozenset({"a", 1}),
    "empty_mapping": lambda: {},
    "mapping": lambda: {"a": "number"},
    "mapping_of_lists": lambda: {"g": ["a", "b"]},
    "mapping_of_number": lambda: {"a": 1},
    "mapping_of_none": lambda: {"a": None},
    "mapping_by_number": lambda: {1: 2},
    "mapping_by_none": lambda: {None: None},
    "deep_mapping": lambda: {"a": {"b": {"c": {}}}},
    "ordered_mapping": lambda: OrderedDict(a=1),
    "range": lambda: range(2),
    "generator": lambda: (name for name in "ab"),
    "iterator": lambda: iter(["a"]),
    "type": lambda: int,
    "function": lambda: len,
    "lambda": lambda: lambda *args, **more: None,
    "class": lambda: dict,
    "module": lambda: math,
    "object": object,
    "unprintable": Unprintable,
    "uncomparable": Uncomparable,
    "exception": lambda: ValueError("odd"),
    "ellipsis": lambda: ...,
    "slice": lambda: slice(1),
    "path": lambda: Path("/nonexistent/file.json"),
    "folder": lambda: Path("/"),
    "long_path": lambda: Path("/" + "y" * 5_000),
    "seed_sequence": lambda: np.random.SeedSequence(0),
    "generator_of_numpy": lambda: np.random.default_rng(0),
    "random_state": lambda: np.random.RandomState(0),
    "dataset": lambda: tiny("discrete"),
    "graph": lambda: eiderdown.DAG(["a", "b"], [("a", "b")]),
    "knowledge": lambda: eiderdown.Knowledge(tiers=[["a"], ["b"]]),
    "algorithm": lambda: ALGORITHMS["iamb"],
    "test_entry": lambda: TESTS["g_square"],
    "score_entry": lambda: SCORES["bic"],
    "registry": lambda: ALGORITHMS,
    "right_length": lambda: np.ones(N_ROWS),
    "right_length_nan": lambda: np.full(N_ROWS, np.nan),
    "right_length_negative": lambda: -np.ones(N_ROWS),
    "right_length_zero": lambda: np.zeros(N_ROWS),
    "right_length_text": lambda: np.array(["u", "v"] * (N_ROWS // 2)),
    "right_length_huge": lambda: np.full(N_ROWS, 1e300),
    "wrong_length": lambda: np.ones(N_ROWS + 1),
}
"""What nobody should write, by name; made anew each time."""

N_ROWS = 40

_RAISING = ("function", "type", "class", "lambda")
_FUNCTIONS = ("test", "score", "network_score", "algorithm", "estimator", "scoring")
"""Values that raise when they are called, and options that take functions."""

USUAL = object()
"""Stands for no odd value: the call as it should be made."""

_QUICK: dict[str, Any] = {
    "progress": False,
    "runs": 2,
    "resamples": 2,
    "repeats": 1,
    "time_limit": 2.0,
    "shares": (1.0,),
    "n_jobs": 1,
    "n_splits": 2,
    "folds": 2,
    "members": ("a",),
}
"""What keeps a call short where the verb has such an option; or what it cannot do without."""


@cache
def tiny(kind: str) -> eiderdown.Dataset:
    """Return a table of 40 rows whose target ``t`` depends on ``a``."""
    rng = np.random.default_rng(3)
    if kind == "discrete":
        a, b, c = rng.integers(0, 2, (3, N_ROWS))
        t = np.where(rng.random(N_ROWS) < 0.2, 1 - a, a)
        columns: dict[str, Any] = {"a": a, "b": b, "c": c, "t": t}
    else:
        columns = {name: rng.normal(size=N_ROWS) for name in "abc"}
        columns["t"] = columns["a"] + rng.normal(size=N_ROWS)
    return eiderdown.Dataset.of(columns)


@dataclass(frozen=True)
class Case:
    """One odd value of one option of something."""

    owner: str
    option: str
    value: str
    call: Callable[[Any], Any]

    @property
    def name(self) -> str:
        """How it is called in reports."""
        return f"{self.owner}.{self.option}={self.value}"


class StillRunning(BaseException):
    """A case took longer than its patience."""


@contextmanager
def patience(seconds: int) -> Iterator[None]:
    """Raise :class:`StillRunning` after some seconds."""

    def ring(_number: int, _frame: Any) -> None:
        raise StillRunning

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def attempt(case: Case) -> str | None:
    """Run a case, in a folder of its own; return None if it ended well, or what happened instead.

    Some options name files, and odd values are odd names.
    """
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            chdir(folder),
            patience(PATIENCE),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            case.call(ODD_VALUES[case.value]())
    except EiderdownError as problem:
        return None if _is_sentence(str(problem)) else f"{case.name}: no sentence: {problem!s:.200}"
    except StillRunning:
        return f"{case.name}: not ended after {PATIENCE} s"
    except BaseException as problem:  # whatever it is, it is what we look for
        is_own = case.value != "lambda" or case.option == "scoring"  # which must return a number
        if case.value in _RAISING and case.option in _FUNCTIONS and is_own:
            return None  # a function of the user's own raised it
        return f"{case.name}: {type(problem).__name__}: {problem!s:.200}"
    return None


def _is_sentence(text: str) -> bool:
    return text.endswith((".", "?")) or text[:1].isupper()


def cases() -> list[Case]:
    """Return every case."""
    return [
        Case(owner, option, value, call) for owner, option, call in places() for value in ODD_VALUES
    ]


def places() -> Iterator[tuple[str, str, Callable[[Any], Any]]]:
    """Give every option that is declared anywhere, with a call that sets it."""
    yield from _of_verbs()
    yield from _of_estimators()
    yield from _of_entries()
    yield from _of_reading()


# --- verbs ---------------------------------------------------------------------------------------

_TABLE_OF = {"find_interactions": "continuous", "predict": "continuous"}


def _of_verbs() -> Iterator[tuple[str, str, Callable[[Any], Any]]]:
    for name in api.__all__:
        verb = getattr(api, name)
        if hasattr(verb, "declared_options"):
            for option in (*inspect.signature(verb).parameters,):
                yield name, option, _verb_call(name, option)


def _verb_call(name: str, option: str) -> Callable[[Any], Any]:
    verb = getattr(api, name)

    def call(value: Any) -> Any:
        odd = {} if value is USUAL else {option: value}
        return verb(**{**usual_arguments(name), **_companions(name, option), **odd})

    return call


def usual_arguments(name: str) -> dict[str, Any]:
    """Return what a verb needs, and what makes it quick."""
    verb = getattr(api, name)
    known, parameters = options_of(verb), inspect.signature(verb).parameters
    needed = [p.name for p in parameters.values() if p.default is p.empty and p.name not in known]
    table = tiny(_TABLE_OF.get(name, "discrete"))
    usual = {"data": table, "target": "t", "x": "a", "y": "t", "new_rows": table.drop(["t"])}
    quick = {k: v for k, v in _QUICK.items() if k in known}
    return {parameter: usual[parameter] for parameter in needed} | quick


def _companions(name: str, option: str) -> dict[str, Any]:
    """Return other options without which this one is refused."""
    if name == "measure_confidence" and option not in options_of(api.measure_optima):
        if option in ("patience",):
            return {"source": "boundaries", "target": "t"}
        if option not in ("state", "resume", "weighting", "source"):
            return {"source": "resamples"}
    if name == "compare_selectors":
        return {"selectors": ["none"]}
    return {}


# --- estimators ----------------------------------------------------------------------------------


def _of_estimators() -> Iterator[tuple[str, str, Callable[[Any], Any]]]:
    for name in estimators.__all__:
        kind = getattr(estimators, name)
        if hasattr(kind, "fit"):
            for option in kind().get_params(deep=False):
                yield name, option, _fit_call(kind, option)


_OF_SKLEARN = ("cv", "scoring", "estimator", "selector")
"""Parameters that scikit-learn itself checks, in its own words."""


def _fit_call(kind: Any, option: str) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        table = tiny("continuous").to_pandas()
        y = (table.pop("t") > 0).astype(int).to_numpy()
        brief = {"resamples": 2, "n_jobs": 1, "candidates": ["boundary"]}
        quick = {k: v for k, v in brief.items() if k in kind().get_params()}
        try:
            odd = {} if value is USUAL else {option: value}
            return kind(**{**quick, **odd}).fit(table.to_numpy(), y)
        except (AttributeError, IndexError, RuntimeError, TypeError, ValueError):
            if option in _OF_SKLEARN:
                return None
            raise

    return call


# --- entries of registries -----------------------------------------------------------------------


def _of_entries() -> Iterator[tuple[str, str, Callable[[Any], Any]]]:
    for entry in ALGORITHMS:
        for option in entry.options:
            yield f"{entry.name}()", option, _search_call(entry, option)
    for entry in (*NETWORK_ALGORITHMS, *REGION_ALGORITHMS):
        for option in entry.options:
            yield f"{entry.name}()", option, _network_call(entry, option)
    for entry in TESTS:
        for option in entry.options:
            yield f"{entry.name}()", option, _test_call(entry, option)
    for entry in SCORES:
        for option in entry.options:
            yield f"{entry.name}()", option, _score_call(entry, option)
    for entry in FORMATS:
        for option in entry.options:
            yield f"{entry.name}()", option, _format_call(entry, option)


def _configured(entry: Any, option: str, value: Any) -> Any:
    return entry if value is USUAL else entry(**{option: value})


def _table_for(entry: Any) -> eiderdown.Dataset:
    return tiny("discrete" if "discrete" in entry.kinds else "continuous")


def _search_call(entry: Any, option: str) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        configured = _configured(entry, option, value)
        repr(configured)
        return api.find_all_boundaries(
            tiny("discrete"),
            targets=["t"],
            algorithm=configured,
            progress=False,
            n_jobs=1,
            time_limit=2.0,
        )

    return call


def _network_call(entry: Any, option: str) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        configured = _configured(entry, option, value)
        around = {"target": "t"} if entry in REGION_ALGORITHMS or _is_region(entry) else {}
        verb = api.learn_region if around else api.learn_network
        table = _table_for(entry)
        return verb(table, algorithm=configured, progress=False, n_jobs=1, time_limit=2.0, **around)

    return call


def _is_region(entry: Any) -> bool:
    return entry.name in REGION_ALGORITHMS


def _test_call(entry: Any, option: str) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        test = make_test(_configured(entry, option, value), _table_for(entry), 3, 1)
        return test.sweep([0, 1], 3, [2])

    return call


def _score_call(entry: Any, option: str) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        score = make_score(_configured(entry, option, value), _table_for(entry), 1)
        return score.local(3, [0, 1])

    return call


def _format_call(entry: Any, option: str) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        graph, data = eiderdown.DAG(["a", "b"], [("a", "b")]), tiny("discrete")
        given = (graph, data) if entry.needs_data else (graph,)
        return _configured(entry, option, value).run(*given)

    return call


# --- reading -------------------------------------------------------------------------------------


def _of_reading() -> Iterator[tuple[str, str, Callable[[Any], Any]]]:
    for option in options_of(ReadOptions):
        yield "Dataset.of(file)", option, _reading_call(option)
        yield "Dataset.of(columns)", option, _columns_call(option)


def _reading_call(option: str) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        return eiderdown.Dataset.of(_small_file(), **({} if value is USUAL else {option: value}))

    return call


def _columns_call(option: str) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        return eiderdown.Dataset.of(
            {"a": [0, 1, 1], "b": ["x", "y", "x"]}, **({} if value is USUAL else {option: value})
        )

    return call


@cache
def _small_file() -> Path:
    from tempfile import mkdtemp

    path = Path(mkdtemp()) / "small.csv"
    path.write_text("a,b,when\n0,x,2020-01-02\n1,y,2020-02-03\n1,x,2021-01-01\n")
    return path
