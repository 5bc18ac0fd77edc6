"""What a release promises, as far as one sees it without building one (``make release-check``)."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

import eiderdown

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import check_release  # noqa: E402  a tool, not a part of the package

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
DATA = (".html", ".jinja", ".css", ".js", ".json", ".gz", ".typed", ".LICENSE")


def test_one_version_everywhere():
    version = PROJECT["project"]["version"]
    assert eiderdown.__version__ == version
    assert re.search(rf"^version: {re.escape(version)}$", CITATION, re.MULTILINE)


@pytest.mark.parametrize("key", ["cff-version", "message", "title", "authors", "type", "license"])
def test_the_citation_has_what_the_format_requires(key):
    assert re.search(rf"^{key}:", CITATION, re.MULTILINE)
    assert "- name: The Eiderdown developers" in CITATION


def test_licences_are_named_in_spdx_with_their_texts():
    project = PROJECT["project"]
    assert project["license"] == "BSD-3-Clause AND MIT AND CC-BY-SA-3.0"
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in project["license-files"]}
    said = "\n".join(texts.values())
    assert "Cytoscape" in said
    assert "Permission is hereby granted" in said
    assert "Redistribution and use" in said
    assert "CC BY-SA 3.0" in said
    assert not any(line.startswith("License ::") for line in project["classifiers"])


def test_everything_that_the_package_reads_is_listed_for_the_wheel():
    files = check_release.files_of_package()
    assert "eiderdown/py.typed" in files
    assert "eiderdown/report/html/assets/cytoscape.min.js" in files
    assert "eiderdown/networks/reference/alarm.json.gz" in files
    data = [name for name in files if not name.endswith(".py")]
    assert all(name.endswith((*DATA, ".md")) for name in data), data


def test_what_is_ignored_by_git_is_no_part_of_the_package():
    """The builder leaves out what git ignores."""
    ignored = {
        line.strip("/\n") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    }
    parts = {part for name in check_release.files_of_package() for part in Path(name).parts}
    assert not ignored & parts


def test_a_file_that_a_wheel_lacks_is_found():
    files = check_release.files_of_package()
    assert check_release.missing_from(files, files) == []
    assert check_release.missing_from(files[1:], files) == files[:1]


def test_metadata_name_no_host():
    assert "urls" not in PROJECT["project"]
