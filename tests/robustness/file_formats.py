"""Every format of files that Eiderdown reads, each with whole files and with what reads them."""

from __future__ import annotations

import gzip
import io
import json
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
from mutations import damaged, damaged_json
from rich.console import Console

from eiderdown import Dataset, api, export, networks
from eiderdown.errors import EiderdownError
from eiderdown.graphs import DAG, PDAG
from eiderdown.knowledge import Knowledge, read_knowledge
from eiderdown.report import render
from eiderdown.results import FeatureConfidence, Result, load_result

OLD_RESULTS = Path(__file__).parent.parent / "results" / "files_of_0_1"
PATIENCE = 10.0
"""Seconds after which a file counts as one that is never read."""

MIXED = PDAG.from_string("smoke->lung, smoke->bronc, lung->either, tub->either, bronc--dysp, x")


@dataclass(frozen=True)
class FileFormat:
    """A format.

    Attributes
    ----------
    name : str
        For people and for seeds.
    suffix : str
        How the name of such a file ends.
    whole : callable
        Returns contents of such files, which are read without complaint.
    read : callable
        Reads a file to the end, and shows what can be shown.
    share : int
        How many inputs it gets for one of the others; slow readers get one.
    """

    name: str
    suffix: str
    whole: Callable[[], list[bytes]]
    read: Callable[[Path], object]
    share: int = 4

    def content(self, number: int, seed: object = 0) -> bytes:
        """Return a damaged content."""
        random = Random(f"{seed}/{self.name}/{number}")
        whole = cached(self)
        chosen = random.choice(whole)
        if self.suffix == ".json" and chosen[:1] == b"{" and random.random() < 0.7:
            return damaged_json(chosen.decode(), random)
        if self.suffix == ".bif.gz" and random.random() < 0.5:
            return gzip.compress(damaged(gzip.decompress(chosen), random), mtime=0)
        return damaged(chosen, random)

    def complaint(self, path: Path, content: bytes) -> str | None:
        """Read a content; say what went wrong if that ended in anything but a sentence."""
        path.write_bytes(content)
        try:
            with in_time(PATIENCE), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.read(path)
        except EiderdownError as problem:
            return _fault_of(str(problem))
        except Exception as problem:  # each is a finding
            return f"{type(problem).__name__}: {str(problem)[:300]}"
        return None


def _fault_of(sentence: str) -> str | None:
    if len(sentence) > 4000:
        return f"a sentence of {len(sentence)} letters: {sentence[:200]}"
    return None if sentence.strip() else "an empty sentence"


@cache
def cached(form: FileFormat) -> list[bytes]:
    """Return the whole contents of a format, made once."""
    return form.whole()


@contextmanager
def in_time(seconds: float) -> Iterator[None]:
    """Raise after some seconds of work, in the main thread; waiting for a processor is none."""

    def late(_number: int, _frame: object) -> None:
        raise TimeoutError(f"not read within {seconds:g} seconds")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


# --- results, states and knowledge ---------------------------------------------------------------


def _old_results() -> list[bytes]:
    return [path.read_bytes() for path in sorted(OLD_RESULTS.glob("*.json"))]


def _new_results() -> list[bytes]:
    """Kinds of results that 0.1 did not have."""
    data = networks.load("asia").sample(400, random_state=0)
    rows = networks.load("asia").sample(20, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: list[Result] = [
            api.test(data, "lung", "smoke", given=["bronc"], progress=False),
            api.find_causes(data, "either", progress=False),
            api.predict(data, rows, "dysp", progress=False),
            api.find_boundary(data, "dysp", algorithm="consensus", progress=False),
        ]
    return [result.to_json().encode() for result in found]


def show(path: Path) -> None:
    """Do what ``eiderdown show`` does, and write the result again."""
    result = load_result(path)
    render(result, Console(file=io.StringIO(), width=100))
    result.to_json()


def _use_state(path: Path) -> None:
    state = FeatureConfidence.load(path)
    render(state, Console(file=io.StringIO(), width=100))
    for group in state.groups:
        state.suggested_threshold(group)


_KNOWN = Knowledge(
    tiers=[["age", "sex"], ["smoke"], ["lung", "bronc"]],
    required=[("smoke", "lung")],
    forbidden=[("lung", "bronc")],
    max_parents=3,
)
_TOML = """
tiers = [["age", "sex"], ["smoke"], ["lung", "bronc"]]
required = [["smoke", "lung"]]
forbidden = [["lung", "bronc"]]
max_parents = 3
forbid_within = false
"""


def _use_knowledge(path: Path) -> None:
    known = read_knowledge(path)
    known.of_columns(
        list(dict.fromkeys(("age", "sex", "smoke", "lung", "bronc", *known.mentioned)))
    )
    known.check(DAG.from_string("smoke->lung"))


# --- graphs and networks -------------------------------------------------------------------------


def _bif() -> list[bytes]:
    return [networks.to_bif(networks.load(name)).encode() for name in ("asia", "cancer", "survey")]


def _graph(form: str) -> Callable[[], list[bytes]]:
    graph = MIXED if form not in ("bnlearn",) else DAG.from_string("A->B, A->C, B->C")
    return lambda: [export.FORMATS[form].run(graph).encode()]


def _read_graph(form: str) -> Callable[[Path], object]:
    return lambda path: export.read_graph(path, form=form)


# --- tables --------------------------------------------------------------------------------------


@cache
def _frame() -> pd.DataFrame:
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": random.integers(20, 80, 60),
            "weight": random.normal(70.0, 9.0, 60).round(2),
            "größe": random.choice(["klein", "groß", None], 60),
            "seen": pd.date_range("2020-01-01", periods=60),
            "sick": random.random(60) < 0.3,
        }
    )


def _table(write: Callable[[pd.DataFrame, io.BytesIO], object]) -> Callable[[], list[bytes]]:
    def whole() -> list[bytes]:
        written = io.BytesIO()
        write(_frame(), written)
        return [written.getvalue()]

    return whole


def _csv() -> list[bytes]:
    frame = _frame()
    texts = [
        frame.to_csv(index=False),
        frame.to_csv(index=False, sep=";", decimal=","),
        frame.to_csv(index=False, sep="\t"),
        "# a comment\n" + frame.head(20).to_csv(sep=" "),
    ]
    return [text.encode(how) for text in texts for how in ("utf-8", "latin-1")] + [
        texts[0].encode("utf-16")
    ]


def _json_lines() -> list[bytes]:
    records = json.loads(_frame().head(20).to_json(orient="records", date_format="iso"))
    return [
        "\n".join(map(json.dumps, records)).encode(),
        json.dumps(records).encode(),
    ]


def _read_table(path: Path) -> object:
    data = Dataset.of(path)
    return data.fingerprint


FILE_FORMATS: tuple[FileFormat, ...] = (
    FileFormat("results", ".json", _old_results, show, share=12),
    FileFormat("new results", ".json", _new_results, show, share=6),
    FileFormat(
        "state",
        ".json",
        lambda: [(OLD_RESULTS / f"confidence{end}.json").read_bytes() for end in ("", "_b")],
        _use_state,
    ),
    FileFormat(
        "knowledge", ".json", lambda: [json.dumps(_KNOWN.to_dict()).encode()], _use_knowledge
    ),
    FileFormat("knowledge in TOML", ".toml", lambda: [_TOML.encode()], _use_knowledge),
    FileFormat("BIF", ".bif", _bif, networks.read_bif),
    FileFormat(
        "zipped BIF",
        ".bif.gz",
        lambda: [gzip.compress(content, mtime=0) for content in _bif()],
        networks.read_bif,
    ),
    *(
        FileFormat(f"graph in {form}", ".txt", _graph(form), _read_graph(form))
        for form in export.FORMATS.names
        if form != "bif"
    ),
    FileFormat("CSV", ".csv", _csv, _read_table, share=6),
    FileFormat("text", ".txt", _csv, _read_table),
    FileFormat("unnamed", "", _csv, _read_table),
    FileFormat("Parquet", ".parquet", _table(lambda f, to: f.to_parquet(to)), _read_table),
    FileFormat("Feather", ".feather", _table(lambda f, to: f.to_feather(to)), _read_table),
    FileFormat("JSON lines", ".jsonl", _json_lines, _read_table),
    FileFormat(
        "Excel", ".xlsx", _table(lambda f, to: f.head(15).to_excel(to, index=False)), _read_table, 1
    ),
    FileFormat("zipped CSV", ".csv.gz", lambda: [gzip.compress(c) for c in _csv()], _read_table, 2),
)
