"""The example notebooks run, and keep what they claim; the tool that renders them shows it all."""

from __future__ import annotations

import ast
import json
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

every_example = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
with_warnings = pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")


def test_there_are_six():
    assert [path.name[:2] for path in EXAMPLES] == ["01", "02", "03", "04", "05", "06"]


@every_example
def test_an_example_teaches_and_checks_itself(path):
    text = path.read_text(encoding="utf-8")
    cells = re.findall(r"^# %%(.*)$", text, re.MULTILINE)
    assert cells[0] == " [markdown]"
    assert cells.count(" [markdown]") >= 6
    assert "EIDERDOWN_SHORT" in text
    checks = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assert)]
    assert len(checks) >= 5


@with_warnings
@every_example
def test_the_short_form_keeps_its_claims(path, monkeypatch):
    monkeypatch.setenv("EIDERDOWN_SHORT", "1")
    assert runpy.run_path(str(path), run_name="__main__")["SHORT"] is True


@pytest.mark.slow
@with_warnings
@every_example
def test_the_full_form_keeps_its_claims(path, monkeypatch):
    monkeypatch.delenv("EIDERDOWN_SHORT", raising=False)
    assert runpy.run_path(str(path), run_name="__main__")["SHORT"] is False


# --- the tool -------------------------------------------------------------------------------------

SCRIPT = """# %% [markdown]
# # Title

# %%
import pandas as pd
print("said")
class Picture:
    def _repr_png_(self):
        return b"png", {"width": 12}
table = pd.DataFrame({"a": [1]})
assert (
    len(table) == 1
)
table

# %%
Picture()

# %%
assert True
"""


@pytest.fixture
def tool():
    pytest.importorskip("jupytext", reason="jupytext takes notebooks apart; the dev extra has it")
    return runpy.run_path(str(ROOT / "tools" / "notebooks.py"))


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return path


def test_a_notebook_holds_what_its_cells_showed(tool, script, tmp_path):
    written = json.loads(tool["write_notebook"](script, tmp_path).read_text())
    title, table, picture, check = written["cells"]
    assert title["cell_type"] == "markdown"
    assert "".join(table["outputs"][0]["text"]) == "said\n"
    assert "<table" in "".join(table["outputs"][1]["data"]["text/html"])
    assert picture["outputs"][0]["metadata"] == {"image/png": {"width": 12}}
    assert check["outputs"] == []


def test_a_page_shows_code_and_outputs_and_leaves_out_checks(tool, script, tmp_path):
    text = tool["write_page"](script, tmp_path).read_text()
    assert text.startswith("# Title\n")
    assert "assert" not in text
    assert "len(table)" not in text
    assert "```text\nsaid\n```" in text
    assert '<img src="script_2.png" width="12"' in text
    assert (tmp_path / "script_2.png").read_bytes() == b"png"


def test_a_cell_that_fails_names_its_example(tool, tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text("# %%\nassert 1 == 2\n")
    with pytest.raises(AssertionError):
        tool["run_example"](path)
