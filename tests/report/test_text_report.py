"""The printed table holds the result's own numbers and stays readable."""

import io
import subprocess
import sys
from dataclasses import replace

import pytest
from rich.console import Console

from eiderdown.report import boundary_table, render_local
from eiderdown.report.local import N_MISSES
from eiderdown.results import Evidence, MarkovBoundary, ParentsChildren, Run

RUN = Run(
    algorithm="iamb",
    options={"alpha": 0.01},
    n_tests=1234,
    n_repeated=5,
    n_skipped=6,
    seconds=7.891,
    n_rows=5000,
    n_columns=37,
    fingerprint="f",
    random_state=None,
    versions={},
)


def evidence(variable, decision="kept", given=(), **changes):
    numbers = {
        "statistic": 1234.56,
        "dof": 4.0,
        "log_p": -2302.585093,
        "n_used": 5000,
        "effect": 0.12345,
        "allows": "both",
    }
    return Evidence(variable, decision, given, **(numbers | changes))


def result(*items, **changes):
    members = tuple(item.variable for item in items if item.decision == "kept")
    return replace(MarkovBoundary("income", members, items, RUN), **changes)


def printed(boundary, *, width=80, truth=None):
    stream = io.StringIO()
    render_local(boundary, Console(file=stream, width=width), truth)
    return stream.getvalue()


def row_of(text, variable):
    (line,) = [line for line in text.splitlines() if line.split()[:1] == [variable]]
    return line.split()


def test_row_shows_the_numbers_of_the_decisive_test():
    text = printed(result(evidence("age", given=("sex", "job"))), width=120)
    assert row_of(text, "age") == [
        *("age", "kept", "sex,", "job", "1,234.6", "4", "1e-1000", "0.123")
    ]


def test_variable_tested_given_nothing_shows_a_dash():
    assert row_of(printed(result(evidence("age"))), "age")[2] == "-"


def test_answers_are_shown_only_where_some_test_cannot_say():
    assert "answer" not in printed(result(evidence("age"))).splitlines()[1]
    doubtful = printed(result(evidence("age"), evidence("sex", allows="nothing")))
    assert "answer" in doubtful.splitlines()[1]
    assert row_of(doubtful, "age")[-1] == "dependent"


def test_evidence_that_cannot_say_is_marked():
    text = printed(result(evidence("age", allows="nothing")))
    assert row_of(text, "age")[-2:] == ["cannot", "say"]


def test_rows_come_members_first_then_removed_then_nearest_misses():
    misses = [evidence(f"m{i}", "not_admitted") for i in range(N_MISSES + 3)]
    table = boundary_table(result(*misses, evidence("gone", "removed"), evidence("age")))
    (names, decisions, *_) = [[str(cell) for cell in column.cells] for column in table.columns]
    assert names == ["age", "gone", *(f"m{i}" for i in range(N_MISSES))]
    assert decisions == ["kept", "removed", *["outside"] * N_MISSES]


def test_last_line_tells_how_the_search_went():
    last = printed(result(evidence("age"))).splitlines()[-1]
    facts = ("iamb", "1,234 tests", "6 of them", "7.89 seconds", "5,000 rows x 37 columns")
    assert all(fact in last for fact in facts)


@pytest.mark.parametrize(("n_members", "size"), [(0, "empty"), (1, "1 member"), (2, "2 members")])
def test_headline_names_the_target_and_the_size(n_members, size):
    text = printed(result(*(evidence(f"v{i}") for i in range(n_members))))
    assert text.splitlines()[0].endswith(f"'income': {size}")


def test_boundary_without_evidence_prints_no_table():
    assert "decision" not in printed(result())


def test_interrupted_search_is_said_to_be_one():
    text = printed(result(evidence("age"), complete=False))
    assert "interrupted" in text.splitlines()[0]


def test_truth_adds_a_column_and_names_what_was_missed():
    found = result(evidence("age"), evidence("hat"), evidence("sex", "not_admitted"))
    text = printed(found, truth={"age", "sex", "job"})
    assert [row_of(text, name)[-1] for name in ("age", "hat", "sex")] == ["yes", "no", "yes"]
    (line,) = [line for line in text.splitlines() if "true members" in line]
    assert all(fact in line for fact in ("1 of the 3", "missed: job, sex", "not in truth: hat"))
    assert "in truth" not in printed(found)


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("truth", [None, {"age"}])
def test_long_names_are_folded_and_nothing_is_cut_off(width, truth):
    long = "a_very_long_column_name_from_a_survey_of_households"
    given = tuple(f"{long}_{i}" for i in range(4))
    items = [evidence(long, given=given), evidence("age", given=given[:1])]
    written = io.StringIO()
    Console(file=written, width=width).print(boundary_table(result(*items), truth))
    lines = written.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert "…" not in written.getvalue()
    end = next(i for i, line in enumerate(lines) if line.startswith("age "))
    decision, others = lines[0].index("decision"), lines[0].index("given")
    assert "".join(line[:decision].strip() for line in lines[2:end]) == long
    assert "".join(line[others : others + 8] for line in lines[2:end]).startswith("a_very_l")
    for number in ("1e-1000", "0.123"):
        assert number in lines[2]


def test_a_narrow_terminal_does_without_degrees_of_freedom_first():
    found = with_roles()
    assert " dof " in printed(found, width=80).splitlines()[1]
    narrow = printed(found, width=58).splitlines()[1].split()
    assert narrow == ["variable", "decision", "role", "given", "statistic", "p", "effect"]
    assert printed(found, width=50).splitlines()[1].split()[-3:] == ["given", "p", "effect"]


def test_of_many_names_that_do_not_fit_the_first_are_shown_and_the_rest_counted():
    given = tuple(f"quite_a_long_name_{i}" for i in range(9))
    text = printed(result(evidence("age", given=given)), width=80)
    assert "and 6 more" in text
    assert given[3] not in text
    assert given[8] in printed(result(evidence("age", given=given)), width=300)


def test_piped_table_has_no_colours():
    assert "\x1b" not in printed(result(evidence("age", allows="nothing")))


def test_names_that_look_like_markup_are_printed_as_they_are():
    text = printed(result(evidence("[red]x[/red]", given=("[b]",)), target="[i]"), width=120)
    assert row_of(text, "[red]x[/red]")[2] == "[b]"
    assert "'[i]'" in text


def test_report_needs_neither_a_search_nor_a_table():
    code = "import sys; from eiderdown.report import render; print(*sorted(m for m in sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "eiderdown.results" in loaded
    assert not {f"eiderdown.{layer}" for layer in ("api", "local", "statistics", "data")} & {
        *loaded
    }


def with_roles(**changes):
    items = [evidence("age", given=("hat",)), evidence("hat"), evidence("sex", "not_admitted")]
    return result(*items, parents_children=("age",), spouses={"hat": "age"}, **changes)


def test_roles_are_shown_where_the_search_knows_them():
    text = printed(with_roles(), width=120)
    assert row_of(text, "age")[2:5] == ["parent", "or", "child"]
    assert row_of(text, "hat")[2:5] == ["spouse", "via", "age"]
    assert row_of(text, "sex")[2] == "-"
    assert " role " not in printed(result(evidence("age")), width=120)


def test_the_role_of_a_spouse_is_folded():
    items = [evidence(f"a_long_name_{i}", given=("x", "y", "z")) for i in range(3)]
    found = result(
        *items,
        parents_children=(items[0].variable,),
        spouses={item.variable: items[0].variable for item in items[1:]},
    )
    text = printed(found, width=80)
    assert row_of(text, items[1].variable)[2:4] == ["spouse", "via"]
    assert text.count(items[0].variable) == 3  # its own row, and where a role goes on


def test_parents_and_children_have_a_headline_of_their_own_and_no_roles():
    found = ParentsChildren("income", ("age",), (evidence("age"),), RUN, ("age",))
    text = printed(found, width=120)
    assert text.startswith("Parents and children of 'income'")
    assert " role " not in text


def test_all_the_other_members_are_a_number_where_there_is_no_room():
    names = [f"member_number_{i}" for i in range(4)]
    members = [evidence(n, given=tuple(m for m in names if m != n)) for n in names]
    outside = evidence("out", "not_admitted", given=tuple(names))
    some = evidence("gone", "removed", given=(names[0], names[1]))
    found = result(*members, some, outside)
    narrow, wide = printed(found, width=80), printed(found, width=160)
    assert row_of(narrow, names[0])[2:4] == ["3", "others"]
    assert row_of(narrow, "out")[2:4] == ["all", "4"]
    assert row_of(narrow, "gone")[2] == f"{names[0]},"
    assert narrow.splitlines()[-3].strip() == names[1]
    assert row_of(wide, names[0])[2:5] == [f"{names[1]},", f"{names[2]},", names[3]]
