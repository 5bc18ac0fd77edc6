"""The calls of the command line, each in a folder of its own; added to CALLS when imported."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import corpus_tables as tables
import neutral
from calls import ALL_SETS, MACHINE, call
from typer.testing import CliRunner

import eiderdown
from eiderdown.cli import app

PARENTS_CHILDREN = "parents-children"
"""Name of the command for parents and children."""


def run(*words):
    """Run a command in this process, and return what it printed."""
    runner = CliRunner(env={"COLUMNS": "200"})
    done = runner.invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def printed(folder, *words):
    """Return the result that a command prints as JSON."""
    path = Path(folder) / "printed.json"
    path.write_text(run(*words, "--json", "--quiet"), encoding="utf-8")
    return neutral.any_result(eiderdown.load_result(path))


def saved(folder, *words):
    """Return the result that a command saves."""
    path = Path(folder) / "saved.json"
    run(*words, "--out", path, "--quiet")
    return neutral.any_result(eiderdown.load_result(path))


def written(folder, table, name="table.csv"):
    path = Path(folder) / name
    frame = (
        table.to_pandas() if hasattr(table, "to_pandas") else __import__("pandas").DataFrame(table)
    )
    frame.to_csv(path, index=False)
    return path


def command(name, tolerance=1e-9, changes=""):
    """Add a call of a function that is given a folder."""

    def add(function):
        def in_folder():
            before = Path.cwd()
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                try:
                    return function(Path(folder))
                finally:
                    os.chdir(before)

        call(f"command/{name}", tolerance=tolerance, changes=changes)(in_folder)
        return function

    return add


@command("find")
def find(folder):
    path = written(folder, tables.alarm())
    more = ["--alpha", 0.05, "--max-given", 2, "--require", "PAP", "--exclude", "CO"]
    rules = [
        *(
            "--test",
            "g_square",
            "--test-set",
            "reliability=rows_per_dof",
            "--test-set",
            "min_rows=4",
        ),
        *("--test-set", "dof=nominal"),
    ]
    return {
        "default": printed(folder, "find", path, "--target", "HR", "--algorithm", "iamb"),
        "options": saved(
            folder, "find", path, "--target", "HR", "--algorithm", "pcmb", *more, *rules
        ),
        "own": printed(
            folder, "find", path, "--target", "HR", "--algorithm", "kiamb", "--set", "fraction=0.5",
            "--seed", 4, "--test", "chi_square",
        ),
    }  # fmt: skip


@command("parents_children")
def parents_children(folder):
    path = written(folder, tables.alarm())
    words = [PARENTS_CHILDREN, path, "--target", "HR"]
    return {
        "default": printed(folder, *words, "--algorithm", "get_pc"),
        "own": saved(folder, *words, "--algorithm", "hiton_pc", "--set", "symmetry=none"),
    }


@command("boundaries")
def boundaries(folder):
    path = written(folder, tables.copies())
    words = ["boundaries", path, "--target", "t", "--runs", 12, "--set", "fraction=0.2"]
    return printed(folder, *words, "--folds", 3, "--seed", 2)


@command("all")
def every(folder):
    path = written(folder, tables.asia())
    return printed(folder, "all", path, "--algorithm", "iamb", "--alpha", 0.05)


@command("interactions", tolerance=MACHINE)
def interactions(folder):
    path = written(folder, tables.xor())
    words = ["interactions", path, "--target", "t", "--degree", 2, "--C", 1, "--folds", 3]
    return printed(folder, *words, "--kind", "x1=discrete", "--alpha", 0.05, "--max-given", 3)


@command("compare", tolerance=MACHINE, changes="splitters and scorers become scikit-learn's own")
def compare(folder):
    path = written(folder, tables.xor(120, 5))
    words = ["compare", path, "--target", "t", "--selectors", "none,iamb,rfe_50,fsmb"]
    return printed(
        folder, *words, "--folds", 2, "--inner-folds", 2, "--degrees", "1,2", "--Cs", "1"
    )


@command("network", changes="published forms, by today's options")
def network(folder):
    path = written(folder, tables.asia())
    known = Path(folder) / "known.json"
    known.write_text(json.dumps({"tiers": [["asia", "smoke"], ["dysp"]], "max_parents": 2}))
    graph = Path(folder) / "graph.bif"
    found = {
        "mmhc": printed(
            folder, "network", path, "--algorithm", "mmhc", "--export", graph, "--prior", 2
        ),
        "exported": neutral.discrete_network(eiderdown.networks.read_bif(graph)),
        "pc_stable": printed(
            folder, "network", path, "--algorithm", "pc_stable", "--max-given", ALL_SETS
        ),
        "score": saved(
            folder, "network", path, "--algorithm", "hill_climbing",
            "--score", "bdeu", "--score-set", "equivalent_sample_size=1", "--knowledge", known,
        ),
    }  # fmt: skip
    for suffix in ("dot", "tetrad", "csv"):
        graph = Path(folder) / f"graph.{suffix}"
        run(
            "network",
            path,
            "--algorithm",
            "ges",
            "--export",
            graph,
            "--quiet",
        )
        found[suffix] = graph.read_text()
    return found


@command("region", changes="region_mmhc: one climb; today's restarts=0")
def region(folder):
    path = written(folder, tables.alarm())
    words = ["region", path, "--target", "HR"]
    return {
        "region_mmhc": printed(folder, *words, "--depth", 2, "--algorithm", "region_mmhc"),
        "gpc": saved(folder, *words, "--algorithm", "gpc", "--exclude", "CO"),
    }


@command("stability", changes="mmhc: one climb; today's restarts=0")
def stability(folder):
    path = written(folder, tables.asia(500))
    graph = Path(folder) / "consensus.dot"
    words = ["stability", path, "--resamples", 5, "--algorithm", "mmhc", "--export", graph]
    return {
        "found": printed(folder, *words, "--threshold", 0.8),
        "consensus": graph.read_text(),
    }


@command("confidence")
def confidence(folder):
    path = written(folder, tables.asia(300))
    words = ["confidence", path, "--runs", 20]
    pictures = [folder / name for name in ("curves.png", "graph.png", "optima.png")]
    found = {
        "kes": printed(
            folder, *words, "--k", 0.4, "--target", "dysp", "--plot-curves", pictures[0],
            "--plot-graph", pictures[1], "--shares", "0.5,1", "--repeats", 1,
            "--plot-optima", pictures[2],
        ),
        "boundaries": saved(
            folder, *words, "--source", "boundaries", "--target", "dysp",
            "--algorithm", "kiamb", "--set", "fraction=0.2",
        ),
        "resamples": saved(
            folder, "confidence", path, "--runs", 5, "--source", "resamples", "--algorithm", "pcmb",
            "--target", "dysp",
        ),
    }  # fmt: skip
    return {**found, "pictures": [picture.exists() for picture in pictures]}


@command("show")
def show(folder):
    path = written(folder, tables.asia())
    out = Path(folder) / "found.json"
    told = run("find", path, "--target", "dysp", "--out", out, "--quiet")
    shown = run("show", out)
    return {"same": told.split() == shown.split(), "names": _named(shown, tables.asia().names)}


@command("algorithms", changes="names are added: ges_restarts, hill_climbing_restarts, ...")
def algorithms(folder):
    """Every name of today is still there; others may be added."""
    listed = json.loads(run("algorithms", "--json"))
    names = [
        *("iamb", "inter_iamb", "iamb_npc", "inter_iamb_npc", "kiamb", "iamb_fdr", "gs", "fbed"),
        *("koller_sahami", "mmmb", "hiton_mb", "pcmb", "kpcmb", "ipc_mb", "bamb", "mmpc"),
        *("hiton_pc", "get_pc", "region_mmhc", "region_dsep_mmhc", "gpc", "mmhc", "hill_climbing"),
        *("ges", "kes", "pc_stable", "sparse_candidate", "skewed_sparse_candidate"),
    ]
    table, one = run("algorithms"), run("algorithms", "pcmb")
    return {
        "json": sorted({item["name"] for item in listed} & set(names)),
        "table": _named(table, names),
        "one": _named(one, names),
    }


@command("selectors")
def selectors(folder):
    text = run("selectors")
    return sorted(
        {line.split()[0] for line in text.splitlines() if line[:1].isalnum()} - {"selector"}
    )


@command("networks")
def networks(folder):
    text = run("networks")
    rows = [line.split() for line in text.splitlines() if line.strip()]
    return sorted(row for row in rows if len(row) == 4 and row[-1].isdigit())


@command("sample")
def sample(folder):
    found = {}
    for suffix in ("csv", "parquet"):
        path = Path(folder) / f"rows.{suffix}"
        run("sample", "asia", "--out", path, "--rows", 40, "--seed", 3)
        found[suffix] = neutral.table(eiderdown.Dataset.of(path))
    return found


@command("demo")
def demo(folder):
    run("demo", "--out", folder / "report")
    (path,) = (folder / "report").glob("*.json")
    return neutral.any_result(eiderdown.load_result(path))


@command("help")
def help_(folder):
    """Each command explains itself."""
    words = [
        "find",
        "boundaries",
        "all",
        "interactions",
        "compare",
        "selectors",
        "region",
        "network",
        "stability",
        "confidence",
        "show",
        "algorithms",
        "networks",
        "sample",
        "demo",
    ]
    return {word: "Usage" in run(word, "--help") for word in words}


def _named(text, names):
    words = set(text.replace(",", " ").replace("'", " ").split())
    return sorted(words & set(names))
