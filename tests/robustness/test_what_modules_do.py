"""What no module may do outside named places: run code from files, start programs, write files."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import eiderdown

SOURCES = Path(eiderdown.__file__).parent
MODULES = {path.relative_to(SOURCES).as_posix(): path for path in SOURCES.rglob("*.py")}

UNSAFE_IMPORTS = {"pickle", "cPickle", "dill", "cloudpickle", "yaml", "marshal", "shelve"}
STARTING_IMPORTS = {"subprocess", "multiprocessing", "pty", "ctypes"}
NETWORK_IMPORTS = {"socket", "socketserver", "ssl", "http", "urllib", "ftplib", "smtplib"}
NETWORK_IMPORTS |= {"requests", "httpx", "aiohttp", "starlette", "uvicorn", "webbrowser"}
RUNNING_CALLS = {"eval", "exec", "compile", "__import__"}
STARTING_CALLS = {"system", "popen", "fork", "execv", "execvp", "spawnv", "startfile"}

IMPORTS_ALLOWED = {
    # The explorer answers on the loopback address, behind a token, to its own page alone.
    "explorer/server.py": {"socket", "uvicorn", "webbrowser"},
    "explorer/app.py": {"starlette"},
    "machine_functions.py": {"ctypes"},  # the C library's lgamma; no other library, no program
    "forked.py": {"ctypes", "multiprocessing"},  # prctl; the pipe to a copy of this process
    "cores.py": {"ctypes"},  # sched_getcpu
    # What such copies tell each other, through pipes that nobody else has.
    "boundary/apart_processes.py": {"multiprocessing", "pickle"},
    # What workers of a cluster are told, which Dask would pickle itself, piece by piece.
    "data/cluster/questions.py": {"pickle"},
    # Addresses of our own kernels, and of the code of NumPy's generators, for other kernels.
    "kernel_addresses.py": {"ctypes"},
    "structure/order/draws.py": {"ctypes"},
}
STARTING_ALLOWED = {"forked.py"}
RUNNING_ALLOWED = {
    "kernels.py",  # the annotations of kernels, which stand in our own source
    "options.py",  # the annotation of **options, as well
}

WRITING_METHODS = {
    "write_text", "write_bytes", "fdopen", "mkstemp", "NamedTemporaryFile", "to_csv", "to_parquet",
    "to_excel", "to_feather", "to_pickle", "tofile", "savetxt", "savez", "dump",
}  # fmt: skip
GIVEN_A_FILE = {"savefig", "write_table", "write_csv", "write_feather"}
"""What writes into a file that :func:`eiderdown.files.replacing` gives."""

WRITERS = {"files.py"}
INTO_MEMORY = {"report/canvas.py"}
"""What draws pictures that a notebook shows, and writes no file."""


@cache
def parsed(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
        elif isinstance(node, ast.Call) and _called(node) == "import_module":
            texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            found |= {str(text).partition(".")[0] for text in texts}
    return found


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _opens_for_writing(call: ast.Call) -> bool:
    if _called(call) not in ("open", "GzipFile", "memory_map", "OSFile", "output_stream"):
        return False
    texts = [
        node.value
        for node in [*call.args, *(keyword.value for keyword in call.keywords)]
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return any(set(text) & set("wax+") and set(text) <= set("rwax+bt") for text in texts)


def _calls(tree: ast.Module):
    """Yield each call, and whether it stands within ``with replacing(...)``."""

    def visit(node: ast.AST, within: bool):
        if isinstance(node, ast.With):
            calls = [item.context_expr for item in node.items]
            within = within or any(
                isinstance(call, ast.Call) and _called(call) == "replacing" for call in calls
            )
        if isinstance(node, ast.Call):
            yield node, within
        for child in ast.iter_child_nodes(node):
            yield from visit(child, within)

    yield from visit(tree, within=False)


def places(wrong) -> list[str]:
    """Return where, in all modules, a call is wrong."""
    return [
        f"{name}, line {call.lineno}: {_called(call)}"
        for name in sorted(MODULES)
        for call, within in _calls(parsed(name))
        if wrong(name, call, within)
    ]


def test_no_module_imports_what_runs_code_or_starts_programs_or_talks_to_networks():
    forbidden = UNSAFE_IMPORTS | STARTING_IMPORTS | NETWORK_IMPORTS
    found = {name: imported(parsed(name)) & forbidden for name in MODULES}
    found = {name: what - IMPORTS_ALLOWED.get(name, set()) for name, what in found.items()}
    assert {name: what for name, what in found.items() if what} == {}


def test_no_module_runs_texts_as_code_or_starts_programs():
    def runs(name, call, _):
        return isinstance(call.func, ast.Name) and (
            _called(call) in RUNNING_CALLS and name not in RUNNING_ALLOWED
        )

    def starts(name, call, _within):
        of_os = isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == "os"
        return of_os and _called(call) in STARTING_CALLS and name not in STARTING_ALLOWED

    assert places(runs) == []
    assert places(starts) == []


def test_no_module_but_one_writes_files():
    def writes(name, call, within):
        is_method = isinstance(call.func, ast.Attribute)
        directly = is_method and _called(call) in WRITING_METHODS
        given = within or name in INTO_MEMORY
        by_name = is_method and _called(call) in GIVEN_A_FILE and not given
        return name not in WRITERS and (directly or by_name or _opens_for_writing(call))

    assert places(writes) == []


def test_reports_write_names_by_the_one_function_that_escapes_them():
    def makes_text(name, call, _):
        in_reports = name.startswith("report/") and name != "report/text.py"
        return in_reports and _called(call) == "Text"

    assert places(makes_text) == [], "write cell(name) instead of Text(name)"


@pytest.mark.parametrize(
    "source",
    [
        "Path('x').open('wb')",
        "open('x', mode='a')",
        "figure.savefig('x.png')",
        "path.write_text('x')",
        "parquet.write_table(t, 'x')",
    ],
)
def test_the_check_sees_writers(source):
    call, within = next(_calls(ast.parse(source)))
    seen = _called(call) in WRITING_METHODS | GIVEN_A_FILE or _opens_for_writing(call)
    assert seen
    assert not within
