"""Work shared with threads that wait in compiled code: every item once, whoever does it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from eiderdown import work_sharing
from eiderdown.kernels import kernel
from eiderdown.work_sharing import (
    MOST_THREADS,
    SharedWork,
    n_others,
    nobody_waits,
    share,
    waiting_threads,
)

_HERE = Path(__file__).parent


@kernel("void(const(int64[::1]), float64, float64[::1], int64[::1], int64)")
def _item(numbers, factor, products, n_done, i):
    total = 0.0
    for k in range(numbers[i]):
        total += k * factor
    products[i] = total
    n_done[i] += 1


@kernel("void(int64[::1], const(int64[::1]), float64, float64[::1], int64[::1], int64)")
def _all_items(board, numbers, factor, products, n_done, n_times):
    for _ in range(n_times):
        share(board, numbers.shape[0], _item, (numbers, factor, products, n_done))


@kernel("void(int64[::1], int64[::1])")
def _out_of_bounds(board, numbers):
    share(board, numbers.shape[0] + 40, _set_one, (numbers,))


@kernel("void(int64[::1], int64)")
def _set_one(numbers, i):
    numbers[i] = 1


def _expected(numbers: np.ndarray, factor: float) -> list[float]:
    return [sum(k * factor for k in range(n)) for n in numbers.tolist()]


@pytest.mark.parametrize("n_jobs", [1, 2, MOST_THREADS + 3])
@pytest.mark.parametrize("n_items", [0, 1, 2, 7, 300])
def test_every_item_is_done_once_each_time(n_jobs: int, n_items: int) -> None:
    numbers = np.random.default_rng(n_items).integers(0, 400, n_items)
    products, n_done = np.full(n_items, -1.0), np.zeros(n_items, dtype=np.int64)
    for _ in range(3):
        with waiting_threads(n_jobs) as board:
            _all_items(board, numbers, 0.5, products, n_done, 50)
    assert n_done.tolist() == [150] * n_items
    assert products.tolist() == _expected(numbers, 0.5)


def test_nobody_takes_items_while_others_work_on_the_other_cores() -> None:
    numbers, products, n_done = np.arange(50), np.zeros(50), np.zeros(50, dtype=np.int64)
    with nobody_waits(indeed=True), waiting_threads(2) as board:
        _all_items(board, numbers, 2.0, products, n_done, 2)
        assert not board.any()
    with waiting_threads(2) as board:
        assert board is work_sharing._BOARD
    assert n_done.tolist() == [2] * 50


def test_others_do_some_of_the_items() -> None:
    numbers = np.full(64, 30_000)
    products, n_done = np.zeros(64), np.zeros(64, dtype=np.int64)
    deadline = time.monotonic() + 60.0
    while time.monotonic() < deadline:
        with waiting_threads(2) as board:
            started, mine = time.perf_counter(), time.thread_time()
            _all_items(board, numbers, 1.0, products, n_done, 20)
            wall, mine = time.perf_counter() - started, time.thread_time() - mine
        with waiting_threads(1) as board:
            alone = time.thread_time()
            _all_items(board, numbers, 1.0, products, n_done, 20)
            alone = time.thread_time() - alone
        if mine < 0.8 * alone:
            return
    pytest.fail(
        f"all was done by one thread: {mine:.4f} of {alone:.4f} s, {wall:.4f} s of wall time"
    )


class TestHelp:
    """With one piece of work, by whoever waits for its end."""

    def test_items_are_done_once_whoever_comes_and_goes(self) -> None:
        numbers = np.random.default_rng(0).integers(0, 3_000, 20)
        products, n_done = np.zeros(20), np.zeros(20, dtype=np.int64)
        work, has_helped = SharedWork(), []

        def help_until_the_end() -> None:
            while not work.board[work_sharing._CLOSED]:
                has_helped.append(work.help())

        helper = threading.Thread(target=help_until_the_end)
        helper.start()
        deadline, n_times = time.monotonic() + 60.0, 0
        while not any(has_helped) and time.monotonic() < deadline:
            _all_items(work.board, numbers, 0.5, products, n_done, 50)
            n_times += 50
        work.end()
        helper.join()
        assert any(has_helped)
        assert n_done.tolist() == [n_times] * 20
        assert products.tolist() == _expected(numbers, 0.5)
        assert n_others(work.board) == 0

    def test_ends_where_there_is_none(self) -> None:
        work = SharedWork()
        assert not work.help()
        work.end()
        assert not work.help()
        assert n_others(work.board) == 0


def test_threads_that_share_at_once_do_not_disturb_each_other() -> None:
    def work(seed: int) -> bool:
        numbers = np.random.default_rng(seed).integers(0, 300, 40)
        products, n_done = np.zeros(40), np.zeros(40, dtype=np.int64)
        for _ in range(20):
            with waiting_threads(2) as board:
                _all_items(board, numbers, float(seed), products, n_done, 20)
        return n_done.tolist() == [400] * 40 and products.tolist() == _expected(numbers, seed)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(1, 9)))


def _asleep() -> int:
    board = work_sharing._BOARD
    return int(board[work_sharing._N_ASLEEP] - board[work_sharing._N_CALLED])


def _until(claim: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 60.0
    while not claim() and time.monotonic() < deadline:
        time.sleep(0.005)
    return claim()


def test_threads_sleep_when_there_is_no_work_and_are_woken_when_there_is() -> None:
    numbers, products = np.arange(10), np.zeros(10)
    n_done = np.zeros(10, dtype=np.int64)
    for n_jobs in (3, 2, 3):
        with waiting_threads(n_jobs) as board:
            _all_items(board, numbers, 1.0, products, n_done, 1)
        n_threads, board = work_sharing._threads["n"], work_sharing._BOARD
        # Where there is no semaphore to sleep at, they leave.
        assert n_threads >= n_jobs - 1 or sys.platform != "linux"
        assert n_threads - _asleep() >= n_jobs - 1 or sys.platform != "linux"
        assert _until(lambda: _asleep() == work_sharing._threads["n"])
        assert board[work_sharing._N_CALLED] == 0
        assert len(work_sharing._thread_ids) == work_sharing._threads["n"]
    assert n_done.tolist() == [3] * 10


def test_threads_that_sleep_take_no_time() -> None:
    with waiting_threads(2):
        pass
    assert _until(lambda: _asleep() == work_sharing._threads["n"])
    before, mine = time.process_time(), time.thread_time()
    time.sleep(0.2)
    mine = time.thread_time() - mine
    assert time.process_time() - before - mine < 0.1


def test_a_forked_process_does_its_work_alone() -> None:
    numbers, products = np.arange(10), np.zeros(10)
    n_done = np.zeros(10, dtype=np.int64)
    with waiting_threads(2) as board:
        _all_items(board, numbers, 1.0, products, n_done, 1)
    code = (
        "import os, numpy as np\n"
        "import test_work_sharing as t\n"
        "numbers, products, n = np.arange(10), np.zeros(10), np.zeros(10, dtype=np.int64)\n"
        "with t.waiting_threads(2) as board:\n"
        "    t._all_items(board, numbers, 1.0, products, n, 1)\n"
        "pid = os.fork()\n"
        "with t.waiting_threads(2) as board:\n"
        "    t._all_items(board, numbers, 1.0, products, n, 5)\n"
        "if pid == 0:\n"
        "    os._exit(0 if n.tolist() == [6] * 10 else 1)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0\n"
    )
    if not hasattr(os, "fork"):
        pytest.skip("this system does not fork")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=_HERE, timeout=120, check=False
    )
    assert done.returncode == 0


def test_an_item_that_raises_is_told_to_who_shared_it() -> None:
    code = (
        "import numpy as np\n"
        "import test_work_sharing as t\n"
        "for n_jobs in (1, 2):\n"
        "    with t.waiting_threads(n_jobs) as board:\n"
        "        try:\n"
        "            t._out_of_bounds(board, np.zeros(20, dtype=np.int64))\n"
        "        except IndexError as problem:\n"
        "            print(problem)\n"
    )
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1"}
    environment["NUMBA_CACHE_DIR"] = str(_HERE / "__pycache__" / "bounds")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=_HERE,
        env=environment,
        timeout=240,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.count("out of bounds") == 2, done.stderr


def test_without_numba_all_is_done_in_python() -> None:
    numbers, products, n_done = np.arange(5), np.zeros(5), np.zeros(5, dtype=np.int64)
    _all_items.as_python(np.zeros(64, dtype=np.int64), numbers, 2.0, products, n_done, 2)
    assert n_done.tolist() == [2] * 5
    assert products.tolist() == _expected(numbers, 2.0)


def test_the_board_of_one_thread_is_never_written_to() -> None:
    numbers, products, n_done = np.arange(50), np.zeros(50), np.zeros(50, dtype=np.int64)
    with waiting_threads(2):
        result: list[int] = []

        def other() -> None:
            with waiting_threads(2) as board:
                _all_items(board, numbers, 2.0, products, n_done, 2)
                result.append(int(np.abs(board).sum()))

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert result == [0]
    assert n_done.tolist() == [2] * 50


@pytest.mark.parametrize("sleepy", [False, True])
def test_nobody_waits_in_compiled_code_when_the_process_ends(sleepy):
    program = (
        "import time\n"
        "from eiderdown import work_sharing\n"
        f"sleepy = {sleepy}\n"
        "with work_sharing.waiting_threads(3):\n"
        "    assert work_sharing._threads['n'] == 2\n"
        "time.sleep(1.0 if sleepy else 0.0)\n"
        "work_sharing._send_home()\n"
        "print(work_sharing._threads['n'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")
