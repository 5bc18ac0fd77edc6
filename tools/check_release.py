"""Build a release and try it as a stranger would: in new environments, outside the source tree.

    python tools/check_release.py

Builds wheel and sdist, has twine check them, looks into both, and installs the wheel twice: with
the newest versions of all dependencies, and with the lowest that pyproject.toml declares. In each
environment the commands run, a CSV gets its report, everything public is imported, and nothing is
left after the package is uninstalled. Prints what it does, with seconds; ends with 1 at the first
thing that is wrong.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from minimum_versions import PROJECT, minimum_versions

ROOT = PROJECT.parent
OF_SDIST = ("README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "pyproject.toml")
"""What nobody who unpacks the sources should miss."""

EVERYTHING = """
import importlib, pathlib, eiderdown
for name in eiderdown.__all__:
    getattr(eiderdown, name)
packages = "api boundary estimators export graphs networks report results"
for package in packages.split():
    module = importlib.import_module(f"eiderdown.{package}")
    for name in getattr(module, "__all__", ()):
        getattr(module, name)
here = pathlib.Path(eiderdown.__file__).resolve()
assert "site-packages" in here.parts, f"not the installed package: {here}"
assert (here.parent / "py.typed").exists()
"""


class WrongReleaseError(Exception):
    """The release is not what it should be."""


def main() -> None:
    """Check everything."""
    parser = argparse.ArgumentParser(description="Build a release and try it.")
    parser.add_argument("--out", type=Path, help="keep wheel and sdist in this folder")
    asked = parser.parse_args()
    started = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            wheel = _built(asked.out or folder / "dist")
            for versions, constraints in (("newest", ()), ("lowest", _lowest())):
                _try(wheel, folder / versions, versions, constraints)
    except (WrongReleaseError, subprocess.CalledProcessError) as problem:
        _say(f"wrong: {problem}")
        raise SystemExit(1) from None
    _say(f"the release is good; {time.perf_counter() - started:.0f} seconds in all")


def missing_from(names: Iterable[str], wanted: Iterable[str]) -> list[str]:
    """Return what is wanted but not among some names.

    Examples
    --------
    >>> missing_from(["eiderdown/py.typed"], ["eiderdown/py.typed", "eiderdown/page.html"])
    ['eiderdown/page.html']
    """
    there = set(names)
    return sorted(name for name in wanted if name not in there)


def files_of_package(root: Path = ROOT) -> list[str]:
    """Return the files of the package, code and data, as a wheel names them."""
    source = root / "src"
    skipped = (".pyc", ".nbc", ".nbi")
    return [
        path.relative_to(source).as_posix()
        for path in sorted((source / "eiderdown").rglob("*"))
        if path.is_file() and path.suffix not in skipped
    ]


def _built(out: Path) -> Path:
    started = time.perf_counter()
    _run([sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)], quiet=True)
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    _run([sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist)])
    in_wheel = zipfile.ZipFile(wheel).namelist()
    _require(missing_from(in_wheel, files_of_package()), wheel)
    licences = [name for name in in_wheel if ".dist-info/licenses/" in name]
    if not any(name.endswith("cytoscape.LICENSE") for name in licences):
        raise WrongReleaseError(f"{wheel.name} does not name the licence of Cytoscape.js")
    with tarfile.open(sdist) as archive:
        inside = [name.partition("/")[2] for name in archive.getnames()]
    _require(missing_from(inside, [*OF_SDIST, *(f"src/{n}" for n in files_of_package())]), sdist)
    _say(f"built and checked {wheel.name} and {sdist.name}: {time.perf_counter() - started:.0f} s")
    return wheel


def _try(wheel: Path, folder: Path, versions: str, constraints: Sequence[str]) -> None:
    """Install the wheel with some versions of its dependencies, and use it."""
    started = time.perf_counter()
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    python, eiderdown = str(programs / "python"), str(programs / "eiderdown")
    limits = folder / "constraints.txt"
    limits.write_text("\n".join(constraints), encoding="utf-8")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    _run([*pip, "install", "--constraint", str(limits), str(wheel)])
    _say(f"{versions}: installed: {time.perf_counter() - started:.0f} s")
    work = folder / "work"
    work.mkdir()
    _run([eiderdown, "--versions"], work)
    _run([eiderdown, "sample", "asia", "--rows", "500", "--out", "my.csv"], work)
    _run([eiderdown, "find", "my.csv", "--target", "dysp", "--report", "out.html"], work)
    if not (work / "out.html").read_text(encoding="utf-8").lstrip().startswith("<!"):
        raise WrongReleaseError(f"{versions}: the report is no page")
    _run([python, "-W", "error::SyntaxWarning", "-c", EVERYTHING], work)
    _run([*pip, "check"], work)
    _run([*pip, "uninstall", "--yes", "eiderdown"], work)
    left = [p for p in folder.rglob("eiderdown*") if p.suffix not in (".nbc", ".nbi")]
    if any(path.suffix == ".py" for place in left for path in place.rglob("*")):
        raise WrongReleaseError(f"{versions}: files are left after uninstalling: {left[:3]}")
    _say(f"{versions}: runs, and is gone again: {time.perf_counter() - started:.0f} s")


def _lowest() -> list[str]:
    return minimum_versions(PROJECT.read_text(encoding="utf-8"))


def _require(missing: Sequence[str], where: Path) -> None:
    if missing:
        raise WrongReleaseError(
            f"{where.name} lacks {', '.join(missing[:5])} ({len(missing)} files)"
        )


def _run(words: Sequence[str], folder: Path | None = None, *, quiet: bool = False) -> None:
    """Run a program, without the sources on its path; what it printed is shown if it fails."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NUMBA_CACHE_DIR")
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        words,
        cwd=folder,
        env=env,
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode != 0:
        sys.stdout.write(done.stdout)
        raise WrongReleaseError(f"{' '.join(words)} ended with {done.returncode}")
    if not quiet:
        sys.stdout.write("".join(f"  {line}\n" for line in done.stdout.splitlines()[-14:]))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
