"""What does not fit into memory is refused in a sentence, before the system has to say it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from eiderdown import memory, networks
from eiderdown.errors import EiderdownError, InsufficientMemoryError
from eiderdown.memory import free_memory, require_memory
from eiderdown.structure.equivalence.gain_table import GainTable
from eiderdown.svm.inner_products import kernel_bytes, linear_gram, polynomial_kernel

UNDER_A_LIMIT = """
import resource, warnings
import numpy as np
from scipy.sparse import csr_array
import eiderdown
from eiderdown.errors import InsufficientMemoryError
from eiderdown.svm.monomials import dense
import sklearn.svm

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
x = rng.normal(size=(9_000, 3))
table = {"a": x[:, 0], "b": x[:, 1], "t": x[:, 0] * x[:, 1] > 0}
network = eiderdown.networks.load("alarm")
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
limit = used + 400 * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for work in (
    lambda: eiderdown.find_interactions(table, "t", degree=2, C=1.0, folds=0, progress=False),
    lambda: network.sample(10**7),
    lambda: dense(csr_array((30_000, 10_000))),
):
    try:
        work()
        print("no guard")
    except InsufficientMemoryError as problem:
        print(problem)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc and sets RLIMIT_AS")
def test_the_guard_speaks_before_the_limit_does():
    ran = subprocess.run(
        [sys.executable, "-c", UNDER_A_LIMIT], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    said = ran.stdout.splitlines()
    assert [line.partition(" needs about ")[0] for line in said] == [
        "A support vector machine of 9,000 rows",
        "A sample of 10,000,000 rows",
        "A dense table of 30,000 rows and 10,000 columns",
    ]
    assert all(" are free; " in line and line.endswith(".") for line in said)
    assert "give approximate='sample' or approximate='nystroem', or fewer rows." in said[0]


def test_too_much_is_refused_with_the_way_out(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 2**30)
    require_memory(0.9 * 2**30, "This", "give less")
    with pytest.raises(InsufficientMemoryError) as raised:
        require_memory(3 * 2**30, "This", "give less")
    assert str(raised.value) == "This needs about 3 GB of memory, but 1 GB are free; give less."
    assert isinstance(raised.value, EiderdownError)
    assert isinstance(raised.value, MemoryError)


def test_where_nothing_is_known_nothing_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    require_memory(1e30, "This", "give less")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_is_free_is_the_least_of_what_is_left(monkeypatch):
    assert 0 < free_memory() < 2**60
    limits = {"_left_by_system": 5, "_left_by_group": 3, "_left_by_limit": 4}
    for name, left in limits.items():
        monkeypatch.setattr(memory, name, lambda *_, left=left: left)
    assert free_memory() == 3


def test_control_groups_count_what_can_be_given_back(tmp_path):
    (tmp_path / "max").write_text("1000\n")
    (tmp_path / "current").write_text("800\n")
    (tmp_path / "stat").write_text("anon 300\ninactive_file 400\n")
    files = tuple(str(tmp_path / name) for name in ("max", "current", "stat"))
    assert memory._left_by_group(files) == 600
    (tmp_path / "max").write_text("max\n")
    assert memory._left_by_group(files) is None


def test_samples_and_gain_tables_are_guarded():
    with pytest.raises(InsufficientMemoryError, match="draw fewer rows"):
        networks.load("asia").sample(10**15)
    table = object.__new__(GainTable)
    table._nodes = range(10**6)
    with pytest.raises(InsufficientMemoryError, match="limit max_parents"):
        table._empty(10**9)


def test_a_kernel_of_some_rows_copies_no_inner_products():
    x = np.random.default_rng(0).normal(size=(50, 4))
    gram, some = linear_gram(x), np.array([3, 1, 40])
    whole = polynomial_kernel(gram, 3, gamma=0.5, unit=2.0)
    part = polynomial_kernel(gram, 3, (some, np.arange(5, 30)), gamma=0.5, unit=2.0)
    assert (part == whole[some, 5:30]).all()
    assert kernel_bytes(16_000) < 6 * 2**30
