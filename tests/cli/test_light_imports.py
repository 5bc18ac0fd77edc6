"""Nobody who asks for help or a version pays for a compiler or a plotting library."""

import subprocess
import sys

import pytest

from eiderdown import __version__

HEAVY = {"numba", "sklearn", "matplotlib", "pandas", "polars", "pyarrow", "networkx", "scipy"}


def loaded_after(code):
    script = f"import sys\ntry:\n    {code}\nfinally:\n    print(*sys.modules, file=sys.stderr)"
    finished = subprocess.run(
        [sys.executable, "-c", script, "--help"], capture_output=True, text=True, check=True
    )
    return finished.stdout, set(finished.stderr.split())


@pytest.mark.parametrize("code", ["import eiderdown", "import eiderdown.cli"])
def test_import_is_light(code):
    _, loaded = loaded_after(code)
    assert "eiderdown" in loaded
    assert not HEAVY & loaded


def test_help_is_light_and_lists_every_command():
    said, loaded = loaded_after("from eiderdown.cli import main; main()")
    assert not HEAVY & loaded
    for command in (
        *(
            "find",
            "parents-children",
            "boundaries",
            "all",
            "interactions",
            "region",
            "network",
            "show",
        ),
        *("algorithms", "networks", "sample", "demo", "compare", "selectors", "show"),
        *("stability", "confidence", "explore"),
    ):
        assert f" {command} " in said


def test_a_search_loads_what_it_needs(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b,c,d\n" + "x,1,true,0.5\ny,2,false,0.25\n" * 50)
    words = ["eiderdown", "find", str(table), "--target", "a", "--exclude", "d"]
    said, loaded = loaded_after(f"sys.argv[:] = {words}; from eiderdown.cli import main; main()")
    assert "Markov boundary" in said
    assert not {"sklearn", "matplotlib", "pandas", "polars", "networkx", "scipy.stats"} & loaded
    assert not {"pyarrow.compute", "eiderdown.svm", "eiderdown.manipulation"} & loaded


def test_version_is_printed_by_the_module():
    finished = subprocess.run(
        [sys.executable, "-m", "eiderdown", "--version"], capture_output=True, text=True, check=True
    )
    assert finished.stdout == f"eiderdown {__version__}\n"
