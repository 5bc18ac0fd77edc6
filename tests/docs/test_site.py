"""The site shows every page and every public name."""

from __future__ import annotations

import inspect
import re
import runpy
from importlib import import_module
from pathlib import Path

import pytest

import eiderdown

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SITE = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
REFERENCE = runpy.run_path(str(ROOT / "tools" / "render_reference.py"))
SHOWN = re.findall(
    r"^::: (\S+)$",
    "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md")),
    re.MULTILINE,
)


def navigation() -> list[str]:
    """Return the pages that the navigation names."""
    return re.findall(r"^ +- (?:.*: )?(\S+\.md)$", SITE, re.MULTILINE)


def test_every_page_has_its_place_in_the_navigation():
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    made = {"changelog.md", "contributing.md", "security.md"}  # from the root, by tools/site
    assert sorted(navigation()) == sorted(pages | made)


@pytest.mark.parametrize("area", REFERENCE["AREAS"], ids=lambda area: area.file)
def test_pages_of_the_reference_are_what_the_tool_renders(area):
    page = DOCS / "reference" / f"{area.file}.md"
    assert page.read_text(encoding="utf-8") == REFERENCE["page"](area)


def test_first_page_of_the_reference_is_what_the_tool_renders():
    page = DOCS / "reference" / "index.md"
    assert page.read_text(encoding="utf-8") == REFERENCE["index"]()


def test_every_public_name_is_in_the_reference():
    parts = {part for area in REFERENCE["AREAS"] for part in area.modules}
    names = [name for name in eiderdown.__all__ if name != "__version__"]
    modules = {name for name in names if inspect.ismodule(getattr(eiderdown, name))}
    assert modules <= parts
    assert {f"eiderdown.{name}" for name in names if name not in modules} <= set(SHOWN)
    for part in parts:
        public = REFERENCE["public_names"](import_module(f"eiderdown.{part}"))
        assert {REFERENCE["shortest_path"](part, name) for name in public} <= set(SHOWN)


def test_no_name_is_shown_twice():
    assert len(SHOWN) == len(set(SHOWN))


def test_the_site_loads_nothing_from_elsewhere():
    assert "font: false" in SITE
    assert "http" not in SITE
