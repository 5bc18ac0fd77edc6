"""The commands in the README, on the home page, in the tutorial and the guides run.

The commands of a page run in order, in a folder of their own. Where Python examples above the first
command write files into a ``folder``, these are there for the commands.
"""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from eiderdown.cli import app
from eiderdown.errors import EiderdownWarning

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "docs" / "index.md",
    ROOT / "docs" / "install.md",
    ROOT / "docs" / "tutorial.md",
    *sorted((ROOT / "docs" / "how-to").glob("*.md")),
    *sorted((ROOT / "docs").glob("command-line.md")),
]
NOT_RUN = {
    "eiderdown explore": "it serves until it is stopped",
    "eiderdown demo": "`make demo` in its own words; tests/cli runs it",
    "eiderdown --install-completion": "it changes the settings of a shell",
    "eiderdown --show-completion": "it asks which shell it runs in",
    "eiderdown find my.csv": "the reader's own file",
    "eiderdown find patients.csv": "the reader's own file",
    "eiderdown find parts/": "the reader's own files",
    "eiderdown find /shared/visits/": "the reader's own cluster; tests/cli runs one",
    "make": "it sets up an environment",
    "pip": "it installs",
    "python": "another program",
}
_OTHER_BLOCK = re.compile(r"^ *```(?!console|shell)\w.*?^ *```$", re.MULTILINE | re.DOTALL)
_PROGRAMS = ("eiderdown ", "make ", "pip ")


def commands(text: str) -> list[str]:
    """Return the shell commands of a page, without prompts and comments, in order."""
    found, in_block = [], False
    for line in _OTHER_BLOCK.sub("", text).splitlines():
        if line.startswith("```"):
            in_block = not in_block
        command = re.sub(r"\s+# .*$", "", line.strip().removeprefix("$ "))
        if (in_block or line.startswith("    ")) and command.startswith(_PROGRAMS):
            found.append(command)
    return found


def reason_not_to_run(command: str) -> str | None:
    """Return why a command is not run here, if it is not."""
    return next((why for start, why in NOT_RUN.items() if command.startswith(start)), None)


def write_files_of(text: str, folder: Path) -> None:
    """Run the Python examples above the first command, as far as they write files for it."""
    to_run = [line for line in commands(text) if reason_not_to_run(line) is None]
    examples = doctest.DocTestParser().get_examples(text[: text.index(to_run[0])])
    writing = [i for i, example in enumerate(examples) if "(folder / " in example.source]
    space: dict[str, Any] = {}
    for example in examples[: max(writing, default=-1) + 1]:
        exec(compile(example.source, "<page>", "single"), space)
    if writing:
        shutil.copytree(space["folder"], folder, dirs_exist_ok=True)


def test_commands_are_found_in_blocks_of_both_forms_and_without_comments():
    page = "Run\n\n    $ eiderdown a --x 'b c'  # why\n    pip install .\n\n"
    page += "```console\n$ eiderdown b\nits output\n```\n\n```python\n    eiderdown c\n```\n"
    assert commands(page) == ["eiderdown a --x 'b c'", "pip install .", "eiderdown b"]


def test_the_pages_have_commands_to_run():
    run = [c for page in PAGES for c in commands(page.read_text()) if not reason_not_to_run(c)]
    assert len(run) > 10


def pages_with_commands() -> list[Path]:
    """Return the pages of which some command is run."""
    return [
        page
        for page in PAGES
        if any(reason_not_to_run(c) is None for c in commands(page.read_text(encoding="utf-8")))
    ]


@pytest.mark.parametrize("page", pages_with_commands(), ids=lambda page: page.stem)
def test_commands_of_the_page_run_in_order(page, tmp_path, monkeypatch):
    text = page.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EiderdownWarning)
        write_files_of(text, tmp_path)
        for command in commands(text):
            if reason_not_to_run(command) is None:
                found = CliRunner().invoke(app, shlex.split(command)[1:])
                assert found.exit_code == 0, f"{command}\n{found.output}"
