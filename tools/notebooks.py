"""Run the example notebooks (examples/*.py, in jupytext's percent format) and keep what they show.

    python tools/notebooks.py                     build/notebooks/*.ipynb with their outputs
    python tools/notebooks.py --pages FOLDER      FOLDER/*.md with outputs and pictures, for a site
    python tools/notebooks.py --short ...         their short form, as the tests run them

Cells are run here, one after the other, so no kernel has to be installed; jupytext takes the
scripts apart. A cell that ends in an expression shows its value as a notebook would: as HTML, as a
picture, or as text. Warnings are not shown; results show theirs. Pages leave out checks (assert),
which are for the tests.
"""

from __future__ import annotations

import argparse
import ast
import base64
import io
import os
import sys
import warnings
from collections.abc import Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))


@dataclass(frozen=True)
class Shown:
    """What a cell showed: what it printed, and its last value as text, HTML and picture."""

    printed: str = ""
    text: str = ""
    html: str = ""
    png: bytes = b""
    size: tuple[tuple[str, int], ...] = ()


def run_cell(source: str, variables: dict[str, Any], name: str) -> Shown:
    """Run the code of a cell, and keep what it shows."""
    tree = ast.parse(source, name)
    last = tree.body[-1] if tree.body else None
    ends_in_value = isinstance(last, ast.Expr)
    body = tree.body[:-1] if ends_in_value else tree.body
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(ast.Module(body, []), name, "exec"), variables)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), variables)
    if value is None:
        return Shown(printed.getvalue())
    return _shown(value, printed.getvalue())


def _shown(value: Any, printed: str) -> Shown:
    html = value._repr_html_() if hasattr(value, "_repr_html_") else ""
    png, size = value._repr_png_() if hasattr(value, "_repr_png_") else (b"", {})
    return Shown(printed, repr(value), html or "", png, tuple(size.items()))


def run_example(path: Path) -> tuple[Any, list[Shown | None]]:
    """Run an example and return its notebook, and what each cell showed; None for markdown."""
    import jupytext

    notebook = jupytext.read(path, fmt="py:percent")
    variables: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    shown: list[Shown | None] = []
    for number, cell in enumerate(notebook.cells, 1):
        is_code = cell.cell_type == "code"
        shown.append(
            run_cell(cell.source, variables, f"{path.name}, {number}") if is_code else None
        )
    return notebook, shown


# --- as notebooks ---------------------------------------------------------------------------------


def write_notebook(path: Path, folder: Path) -> Path:
    """Run an example and write it as .ipynb with its outputs."""
    import nbformat

    notebook, shown = run_example(path)
    count = 0
    for cell, seen in zip(notebook.cells, shown, strict=True):
        if seen is not None:
            count += 1
            cell.execution_count = count
            cell.outputs = _outputs(seen, count)
    target = folder / f"{path.stem}.ipynb"
    nbformat.write(notebook, target)
    return target


def _outputs(seen: Shown, count: int) -> list[Any]:
    from nbformat.v4 import new_output

    found = [new_output("stream", text=seen.printed)] if seen.printed else []
    if seen.text:
        data = {"text/plain": seen.text}
        data |= {"text/html": seen.html} if seen.html else {}
        data |= {"image/png": base64.b64encode(seen.png).decode()} if seen.png else {}
        metadata = {"image/png": dict(seen.size)} if seen.size else {}
        found.append(new_output("execute_result", data, execution_count=count, metadata=metadata))
    return found


# --- as pages -------------------------------------------------------------------------------------


def write_page(path: Path, folder: Path) -> Path:
    """Run an example and write it as Markdown, its pictures beside it."""
    notebook, shown = run_example(path)
    parts = []
    for number, (cell, seen) in enumerate(zip(notebook.cells, shown, strict=True)):
        if seen is None:
            parts.append(cell.source)
        else:
            parts += _page_parts(cell.source, seen, folder / f"{path.stem}_{number}.png")
    parts.append(f"*This page is `examples/{path.name}`, run by `tools/notebooks.py`.*")
    target = folder / f"{path.stem}.md"
    target.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return target


def _without_checks(source: str) -> str:
    """Leave out statements that only check a claim."""
    checks = [node for node in ast.parse(source).body if isinstance(node, ast.Assert)]
    left_out = {i for node in checks for i in range(node.lineno, (node.end_lineno or 0) + 1)}
    lines = [line for i, line in enumerate(source.splitlines(), 1) if i not in left_out]
    return "\n".join(lines).strip()


def _page_parts(source: str, seen: Shown, picture: Path) -> Iterable[str]:
    code = _without_checks(source)
    if code:
        yield f"```python\n{code}\n```"
    if seen.printed:
        yield f"```text\n{seen.printed.rstrip()}\n```"
    if seen.png:
        picture.write_bytes(seen.png)
        width = dict(seen.size).get("width", 600)
        yield f'<img src="{picture.name}" width="{width}" alt="The picture that this code draws.">'
    elif seen.html:
        yield "\n".join(line for line in seen.html.splitlines() if line.strip())
    elif seen.text:
        yield f"```text\n{seen.text}\n```"


def main() -> None:
    """Write notebooks or pages."""
    parser = argparse.ArgumentParser(description="Run the example notebooks.")
    parser.add_argument("--pages", type=Path, help="write Markdown into this folder")
    parser.add_argument("--short", action="store_true", help="small tables, in seconds")
    parser.add_argument("names", nargs="*", help="the first letters of some examples; all if none")
    options = parser.parse_args()
    if options.short:
        os.environ["EIDERDOWN_SHORT"] = "1"
    write = write_notebook if options.pages is None else write_page
    folder = options.pages or ROOT / "build" / "notebooks"
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    for path in EXAMPLES:
        if path.name.startswith(tuple(options.names) or ""):
            written = write(path, folder)
            sys.stdout.write(f"{written}\n")


if __name__ == "__main__":
    main()
