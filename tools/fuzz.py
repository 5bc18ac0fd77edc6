"""Look for inputs that end in anything but an answer or a sentence, and write them down, smaller.

    make fuzz                                # an hour with a new seed
    python tools/fuzz.py --minutes 5 --seed 7 --only files

Files are damaged as in ``tests/robustness`` (``mutations.py``, ``file_formats.py``), with other
seeds; odd values of options are those of ``odd_options.py``. Each finding is a file in the folder
of findings, beside a text that says what reads it and what happened. Inputs are tried in a process
of its own: one that ends the process is a finding, too.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "tests" / "robustness"), str(HERE.parent / "tests")]

BATCH = 2_000
"""Inputs of one process."""


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def smallest(content: bytes, fails: Callable[[bytes], bool], seconds: float = 20.0) -> bytes:
    """Leave out pieces of a content, from halves to single bytes, while it fails still."""
    end, size = time.monotonic() + seconds, max(1, len(content) // 2)
    while time.monotonic() < end:
        shorter = False
        for start in range(0, len(content), size):
            rest = content[:start] + content[start + size :]
            if time.monotonic() < end and rest != content and fails(rest):
                content, shorter = rest, True
                break
        if not shorter:
            if size == 1:
                break
            size //= 2
    return content


def try_files(seed: str, folder: Path) -> None:
    """Try a batch of damaged files; what is being tried is in a file of its own."""
    from file_formats import FILE_FORMATS

    draw = random.Random(seed)
    forms = [form for form in FILE_FORMATS for _ in range(form.share)]
    for number in range(BATCH):
        form = draw.choice(forms)
        content = form.content(number, seed)
        trial = folder / f"trial{form.suffix}"
        (folder / "trial.about").write_text(f"{form.name}\ninput {number} of seed {seed}\n")
        found = form.complaint(trial, content)
        if found is not None:
            kind = found.partition(":")[0]

            def fails(shorter: bytes, form=form, trial=trial, kind=kind) -> bool:
                said = form.complaint(trial, shorter)
                return said is not None and said.partition(":")[0] == kind

            content = smallest(content, fails)
            said = form.complaint(trial, content)
            write_finding(folder, f"{form.name} {kind}", content, form.suffix, f"{said}")
        trial.unlink()
    (folder / "trial.about").unlink(missing_ok=True)


def write_finding(folder: Path, name: str, content: bytes, suffix: str, about: str) -> None:
    """Write a finding, unless one of the same sort is smaller."""
    stem = "".join(letter if letter.isalnum() else "-" for letter in name)
    path = folder / f"{stem}{suffix}"
    if path.exists() and path.stat().st_size <= len(content):
        return
    path.write_bytes(content)
    (folder / f"{stem}.about").write_text(f"{name}\n{about}\n")
    tell(f"found: {name}, {len(content)} bytes: {about[:200]}")


def try_options(seed: str, folder: Path) -> None:
    """Try a batch of odd values of options."""
    from odd_options import attempt, cases

    known = list(cases())
    for case in random.Random(seed).sample(known, min(BATCH, len(known))):
        (folder / "trial.about").write_text(f"{case}\n")
        said = attempt(case)
        if said is not None:
            write_finding(folder, f"option {str(case)[:80]}", b"", "", f"{case}\n{said}")
    (folder / "trial.about").unlink(missing_ok=True)


def keep_what_ended_the_process(folder: Path, code: int) -> None:
    """Name the input that was being tried when a process ended."""
    about = folder / "trial.about"
    if not about.exists():
        tell(f"a process ended with {code} between two inputs")
        return
    name = about.read_text().splitlines()[0]
    for trial in folder.glob("trial*"):
        if trial != about:
            suffix = trial.name.removeprefix("trial")
            said = f"ended the process with {code}; {about.read_text()}"
            write_finding(folder, f"{name} ended the process", trial.read_bytes(), suffix, said)
            trial.unlink()
    about.unlink()


def main() -> int:
    """Try inputs until the time is over; end with 1 if something was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", default=str(time.time_ns()), help="default: another every time")
    parser.add_argument("--only", choices=["files", "options"])
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--batch", help=argparse.SUPPRESS)  # a process of its own
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.batch:
        (try_options if asked.only == "options" else try_files)(asked.batch, asked.out)
        return 0
    sorts = [asked.only] if asked.only else ["files", "files", "options"]
    if not (HERE.parent / "tests" / "robustness" / "odd_options.py").exists():
        sorts = ["files"]
    end, batch = time.monotonic() + 60.0 * asked.minutes, 0
    tell(f"seed {asked.seed}; findings go to {asked.out}")
    while time.monotonic() < end:
        words = ["--batch", f"{asked.seed}/{batch}", "--out", str(asked.out)]
        words += ["--only", sorts[batch % len(sorts)]]
        code = subprocess.run([sys.executable, __file__, *words], check=False).returncode
        if code != 0:
            keep_what_ended_the_process(asked.out, code)
        batch += 1
    findings = sorted(path.name for path in asked.out.glob("*.about"))
    tell(f"{batch * BATCH:,} inputs; {len(findings)} findings in {asked.out}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
