"""From nothing to a report of one's own CSV in two commands, on a cold machine.

    pip install .
    eiderdown find my.csv --target y --report out.html

Measures the wall-clock seconds of each in a new virtual environment with an empty cache of Numba,
and of the second command once more. Packages come from wherever pip finds them; what was downloaded
before is taken from its cache unless ``--no-cache`` is given. Writes
benchmarks/results/two_commands.json.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from measuring import write_record

ROOT = Path(__file__).parents[1]
AIM = 60.0
"""Seconds that both commands may take together."""

MAKE_CSV = """
import random
random.seed(7)
with open("my.csv", "w") as file:
    file.write("age,sex,dose,smoker,weight,y\\n")
    for _ in range(2_000):
        age, sex = random.randint(20, 80), random.choice("fm")
        smoker = random.choice(["yes", "no"])
        dose = round(random.gauss(50, 10), 1)
        y = "ill" if random.gauss((dose - 50) / 10 + (smoker == "yes"), 1) > 0.5 else "well"
        file.write(f"{age},{sex},{dose},{smoker},{random.gauss(70, 9):.1f},{y}\\n")
"""


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-cache", action="store_true", help="download every package anew")
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        venv.create(folder / "venv", with_pip=True)
        programs = folder / "venv" / "bin"
        subprocess.run([sys.executable, "-c", MAKE_CSV], cwd=folder, check=True)
        pip = [str(programs / "python"), "-m", "pip", "install", "--quiet"]
        pip += ["--disable-pip-version-check", *(["--no-cache-dir"] if asked.no_cache else []), "."]
        find = [str(programs / "eiderdown"), "find", "my.csv", "--target", "y"]
        find += ["--report", "out.html"]
        env = _bare(folder / "numba")
        seconds = {
            "pip install .": _seconds(pip, ROOT, env),
            "eiderdown find, first": _seconds(find, folder, env),
        }
        size = (folder / "out.html").stat().st_size
        seconds["eiderdown find, again"] = _seconds(find, folder, env)
    both = seconds["pip install ."] + seconds["eiderdown find, first"]
    write_record(
        "two_commands",
        {
            "seconds": {name: round(value, 1) for name, value in seconds.items()},
            "both": round(both, 1),
            "aim": AIM,
            "met": both < AIM,
            "report_bytes": size,
            "pip_cache": not asked.no_cache,
            "load_before": round(load, 2),
            "cores": os.cpu_count(),
        },
    )
    for name, value in seconds.items():
        print(f"{name:24} {value:6.1f} s")
    print(f"{'both':24} {both:6.1f} s (aim: under {AIM:.0f}); load before: {load:.1f}")


def _bare(cache: Path) -> dict[str, str]:
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "OMP_NUM_THREADS")
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    return {**env, "NUMBA_CACHE_DIR": str(cache)}


def _seconds(words: list[str], folder: Path, env: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(words, cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
