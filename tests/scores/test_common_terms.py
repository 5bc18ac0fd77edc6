"""Scores that have their terms in common answer as those that have not."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from eiderdown import networks
from eiderdown.scores import AicScore, BdeuScore, BicScore, K2Score, QnmlScore
from eiderdown.scores import common_terms as module
from eiderdown.scores.common_terms import common_terms, common_terms_kept
from eiderdown.scores.kernels import GammaTerms, LikelihoodTerms

ASKED = [(1, (0,)), (3, (1, 2)), (7, ()), (7, (0, 1, 2)), (5, (3, 6))]


@pytest.fixture(scope="module")
def tables():
    data = networks.load("asia").sample(300, random_state=0)
    rng = np.random.default_rng(0)
    return [data.take(rng.integers(0, 300, n)) for n in (300, 300, 200, 300)]


def answers(score):
    asked = ASKED[:: 1 if score.data.n_rows == 300 else -1]
    return score.local_of_all(asked), score.gains_of_all([(4, (1,), np.array([0, 5, 6]))])


@pytest.mark.parametrize(
    "make",
    [
        BicScore,
        QnmlScore,
        K2Score,
        BdeuScore,
        lambda data: BdeuScore(data, equivalent_sample_size=7.0),
    ],
)
def test_answers_are_those_of_scores_by_themselves(make, tables):
    alone = [answers(make(data)) for data in tables]
    with common_terms_kept():
        for make_before in (AicScore, BdeuScore):  # other shapes, the same functions
            answers(make_before(tables[0]))
        together = [answers(make(data)) for data in tables]
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        for own, common in zip(one[1], other[1], strict=True):
            np.testing.assert_array_equal(own, common)


def test_what_one_score_learned_the_next_one_knows(tables):
    def score(data, size=1.0):
        return BdeuScore(data, equivalent_sample_size=size)._by_kernels

    with common_terms_kept():
        first, second, smaller, _ = map(score, tables)
        other_size = score(tables[0], 3.0)
        assert first.learn(1, [0])
        assert not second.learn(1, [0])
        assert smaller.learn(1, [0])
        assert other_size.learn(1, [0])
    assert score(tables[0]).learn(1, [0])


def test_a_score_of_somebodys_own_learns_by_itself(tables):
    class Odd(BdeuScore):
        def shifts(self, n_strata, n_child):
            return 1.0 / (n_strata * n_child), self.odd / n_strata

    with common_terms_kept():
        one, other = Odd(tables[0]), Odd(tables[1])
        one.odd, other.odd = 1.0, 2.0
        assert one._by_kernels.learn(1, [0])
        assert other._by_kernels.learn(1, [0])


def test_the_last_to_leave_forgets():
    with common_terms_kept():
        with common_terms_kept():
            kept = common_terms("key", list)
        assert common_terms("key", list) is kept
    assert common_terms("key", list) is not kept


def test_there_is_an_end_to_what_is_kept():
    with common_terms_kept():
        for key in range(3 * module._MOST_KEPT):
            common_terms(key, list)
        assert len(module._kept) == module._MOST_KEPT
        assert common_terms(key, lambda: pytest.fail("made again")) == []


def test_likelihood_and_gamma_functions_are_not_mixed_up():
    with common_terms_kept():
        assert isinstance(LikelihoodTerms.of(10), LikelihoodTerms)
        assert isinstance(GammaTerms.of(10), GammaTerms)
        assert GammaTerms.of(11) is not GammaTerms.of(10)


def test_threads_may_add_functions_to_the_same_terms():
    shifts, terms = [0.5 + 0.25 * k for k in range(64)], GammaTerms(50)
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda _: [terms.row(shift) for shift in shifts], range(4)))
    assert rows == [rows[0]] * 4
    assert len(set(rows[0])) == len(shifts)
    by_itself = GammaTerms(50)
    expected = [by_itself.row(shift) for shift in shifts]
    np.testing.assert_array_equal(terms.terms.table[rows[0]], by_itself.terms.table[expected])
