"""Confidence in the terminal holds the result's own numbers."""

import io
from dataclasses import replace

import pytest
from confidence_examples import BOUNDARIES, OPTIMA, RESULT, with_edges
from rich.console import Console

from eiderdown.errors import OptionError
from eiderdown.graphs import DAG
from eiderdown.report import render, render_confidence
from eiderdown.report.networks import N_SHOWN
from eiderdown.results import GraphFeature


def printed(result, *, width=80, **options):
    stream = io.StringIO()
    console = Console(file=stream, width=width)
    if options:
        render_confidence(result, console, **options)
    else:
        render(result, console)
    return [line.split() for line in stream.getvalue().splitlines()]


def said(result, **options):
    return [" ".join(line) for line in printed(result, **options)]


def test_the_headline_counts_runs_and_models():
    facts = ("kes", "100 runs", "4 distinct models", "3 edges", "-1,234.50")
    assert all(fact in said(RESULT)[0] for fact in facts)
    assert "interrupted" in said(replace(RESULT, complete=False))[0]


def test_every_group_has_its_threshold_and_errors():
    lines = printed(RESULT)
    assert lines[1] == ["features", "threshold", "TP", "FP", "FN"]
    assert lines[3] == ["edges", "0.65", "2", "0", "1"]  # least errors from .55 to .75
    assert lines[4] == ["paths", "0.15", "5", "0", "0"]
    assert lines[5] == ["boundaries", "0.40", "4", "0", "0"]


def test_a_threshold_of_the_users_replaces_the_suggested_ones():
    lines = printed(RESULT, threshold=0.5)
    assert lines[3] == ["edges", "0.50", "2", "1", "1"]
    assert lines[5] == ["boundaries", "0.50", "4", "0", "0"]
    with pytest.raises(OptionError, match="threshold must be above 0"):
        printed(RESULT, threshold=1.5)


def test_edges_of_both_sorts_are_listed_by_confidence():
    lines = said(RESULT)
    start = lines.index("edge confidence in model") + 2
    assert lines[start : start + 5] == [
        "hose -> wet 1.000 yes",
        "rain -> wet 0.750 yes",
        "slip -- wet 0.500 no",
        "rain -- wet 0.250 no",
        "wet -> slip 0.250 yes",
    ]


def test_many_edges_are_cut_off_with_a_number():
    edges = [(f"x{i:02}", f"y{i:02}", 0.5, True) for i in range(N_SHOWN + 3)]
    lines = said(with_edges(*edges))
    assert any("and 3 more edges" in line for line in lines)
    assert sum(line.startswith("x") for line in lines) == N_SHOWN


def test_with_a_target_its_boundaries_are_listed_instead():
    lines = said(replace(RESULT, target="wet"))
    start = lines.index("member confidence in model into target out of it undirected") + 2
    assert lines[start : start + 3] == [
        "hose 1.000 yes 1.000 0.000 0.000",
        "rain 1.000 yes 0.750 0.000 0.250",
        "slip 0.750 yes 0.000 0.250 0.500",
    ]
    assert any("0.40" in line and line.endswith("hose, rain, slip") for line in lines)
    assert "edge confidence in model" not in lines


def test_a_column_without_boundaries_has_an_empty_boundary():
    lines = said(replace(RESULT, target="idle"))
    assert any("'idle'" in line and line.endswith("empty") for line in lines)


def test_boundaries_have_boundaries_only():
    lines = said(BOUNDARIES)
    facts = ("boundaries", "5 runs", "2 distinct models", "1 member", "3 runs")
    assert all(fact in lines[0] for fact in facts)
    assert lines[3] == "boundaries 0.70 1 0 0"
    assert "age 1.000 yes" in lines
    assert "job 0.400 no" in lines
    assert "share of the runs" in lines[-1]


def test_many_boundaries_are_cut_off_with_a_number():
    names = tuple(f"x{i:02}" for i in range(N_SHOWN + 2))
    features = tuple(GraphFeature("boundary", "pay", name, 0.5, True) for name in names)
    many = replace(BOUNDARIES, nodes=("pay", *names), features=features)
    assert any("and 2 more" in line for line in said(many))


def test_a_known_graph_is_named_as_the_reference():
    graph = DAG(RESULT.nodes, [("rain", "wet"), ("hose", "wet"), ("wet", "slip")])
    lines = said(RESULT.against(graph))
    assert any("graph that is known" in line for line in lines)
    assert "edge confidence in graph" in lines


def test_optima_are_listed_by_share():
    lines = said(OPTIMA)
    assert "iamb" in lines[0]
    assert lines[3] == "10 % 500 2 100 70.0 60 80 12.5"
    assert lines[4] == "100 % 5,000 1 100 3.0 3 3 46.0"
    assert "interrupted" in said(replace(OPTIMA, complete=False))[0]
    assert len(said(replace(OPTIMA, counts=()))) == 2
