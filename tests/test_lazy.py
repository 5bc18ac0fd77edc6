"""Packages that import when asked promise the same names to people, to tools and to Python."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

PACKAGES = ["eiderdown", "eiderdown.api", "eiderdown.report"]


@pytest.mark.parametrize("name", PACKAGES)
def test_every_promised_name_is_there(name):
    package = import_module(name)
    for one in package.__all__:
        assert getattr(package, one) is getattr(package, one)


@pytest.mark.parametrize("name", PACKAGES)
def test_tools_see_the_same_names(name):
    package = import_module(name)
    (branch,) = (
        node for node in ast.parse(Path(package.__file__).read_text()).body if type(node) is ast.If
    )
    seen = {alias.name for line in branch.body for alias in line.names}
    assert seen == set(package.__all__) - {"__version__"}


@pytest.mark.parametrize("name", PACKAGES)
def test_other_names_are_refused(name):
    with pytest.raises(AttributeError, match="has no attribute 'unheard_of'"):
        _ = import_module(name).unheard_of
