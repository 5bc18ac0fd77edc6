"""The time in kernels is that of one thread, without compiling, and says whether threads pay."""

from __future__ import annotations

from threading import Thread

import pytest

from eiderdown.kernel_time import HANDOVER, WATCHED, KernelTime, timed
from eiderdown.kernels import kernel


def many(n_calls: int) -> None:
    for _ in range(n_calls):
        timed(sum, ([1, 2],), is_compiled=True)


def test_only_calls_of_the_watched_thread_count() -> None:
    with KernelTime() as spent:
        other = Thread(target=many, args=(5,))
        other.start()
        other.join()
        many(3)
    many(4)
    assert spent.n_calls == 3
    assert spent.inside > 0.0
    assert not WATCHED


def test_compiling_is_neither_inside_nor_outside() -> None:
    with KernelTime() as spent:
        timed(sum, (range(3_000_000),), is_compiled=False)
    assert (spent.n_calls, spent.inside) == (0, 0.0)
    with KernelTime() as whole:
        sum(range(3_000_000))
    assert spent.outside < 0.5 * whole.outside


def test_an_error_ends_the_watch() -> None:
    with pytest.raises(ZeroDivisionError), KernelTime() as spent:
        timed(divmod, (1, 0), is_compiled=True)
    assert spent.n_calls == 1
    assert not WATCHED


@pytest.mark.parametrize(
    ("n_calls", "kernel", "between", "pays"),
    [
        (300, 0.2, 0.2, False),  # each handing over takes longer than what is between
        (300, 1.0, 1.0, False),
        (300, 100.0, 200.0, True),  # only a third can be shared
        (300, 100.0, 2_000.0, False),  # almost nothing can
        (300, 10.0, 1.0, True),
        (1, 100.0, 1.0, True),
    ],
)
def test_threads_pay_where_kernels_are_long(
    n_calls: int, kernel: float, between: float, pays: bool
) -> None:
    inside, outside = (n_calls * HANDOVER * part for part in (kernel, between))
    assert KernelTime(n_calls, inside, outside).threads_pay(2) == pays
    assert KernelTime(n_calls, inside, outside).threads_pay(16) >= pays


def test_without_kernels_nothing_is_known() -> None:
    assert KernelTime(0, 0.0, 1.0).threads_pay(2)


def test_a_kernel_counts_from_its_second_call_on() -> None:
    one_more = kernel("int64(int64)")(lambda n: n + 1)
    with KernelTime() as spent:
        assert [one_more(n) for n in range(4)] == [1, 2, 3, 4]
    assert spent.n_calls == 3
