"""Questions of kernels: compiled code and Python answer the same, and problems are passed on."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import kernels, networks
from eiderdown.errors import TargetAmongCandidatesError
from eiderdown.scores import make_score
from eiderdown.scores.questions import (
    ANSWERED,
    CHILD,
    N_CANDIDATES,
    N_PARENTS,
    Questions,
    ask,
)

BOARD = np.zeros(64, dtype=np.int64)
DISCRETE = ["bic", "aic", "qnml", "bdeu", "k2", "k2_penalised"]


def table_of(name):
    network = networks.load("child")
    if name in DISCRETE:
        return network.sample(500, random_state=0)
    return networks.random_gaussian_network(network.dag, random_state=0).sample(500, random_state=0)


def put(question, child, parents, candidates):
    question.head[[CHILD, N_PARENTS, N_CANDIDATES]] = child, len(parents), len(candidates)
    question.parents[: len(parents)] = parents
    question.candidates[: len(candidates)] = candidates


def answers(question, *asked):
    put(question, *asked)
    assert ask(question)
    return question.scores[: len(asked[-1])].tolist()


@pytest.mark.parametrize("name", [*DISCRETE, "gaussian_bic", "bge"])
@pytest.mark.parametrize("patience", [0.0, np.inf], ids=["compiled", "python"])
def test_a_kernel_is_told_what_the_score_answers(monkeypatch, name, patience):
    monkeypatch.setattr(kernels, "PATIENCE", patience)
    score, generator = make_score(name, table_of(name), n_jobs=1), np.random.default_rng(1)
    questions = Questions(score, BOARD)
    question = questions.question
    for n_parents in (0, 1, 2, 4, 7):  # those of seven have more strata than compiled code takes
        child, *others = generator.permutation(score.n_variables).tolist()
        parents, xs = others[:n_parents], others[n_parents:]
        expected = score.additions(child, parents, xs).tolist()
        assert answers(question, child, parents, xs) == expected
        assert answers(question, child, parents, [-1]) == [score.local(child, parents)]


@pytest.mark.parametrize("name", ["bic", "bdeu", "gaussian_bic"])
def test_compiled_code_answers_without_python(monkeypatch, name):
    monkeypatch.setattr(kernels, "PATIENCE", 0.0)
    score = make_score(name, table_of(name), n_jobs=1)
    questions = Questions(score, BOARD)
    question = questions.question
    n_before = score.counts.n_computed
    answers(question, 3, [1, 2], [4, 5, 6])
    assert question.head[ANSWERED] == 1
    assert score.counts.n_computed == n_before


def test_what_one_search_taught_the_score_another_one_knows(monkeypatch):
    monkeypatch.setattr(kernels, "PATIENCE", 0.0)
    score, n = make_score("bdeu", table_of("bdeu"), n_jobs=1), 8
    first, second = (Questions(score, BOARD) for _ in range(2))
    asked = [(child, list(range(child)), list(range(child + 1, 12))) for child in range(n)]
    for one in asked:  # so many tabulated functions that their table grows
        answers(first.question, *one)
    for one in asked:
        expected = score.additions(*one).tolist()
        assert answers(second.question, *one) == expected
        assert second.question.head[ANSWERED] == 1


def test_what_the_score_raises_is_raised_once(monkeypatch):
    score = make_score("bic", table_of("bic"), n_jobs=1)
    monkeypatch.setattr(type(score), "compiled_answers", lambda *_: None)
    questions = Questions(score, BOARD)
    put(questions.question, 3, [3], [4])
    assert not ask(questions.question)
    with pytest.raises(TargetAmongCandidatesError):
        questions.raise_problem()
    questions.raise_problem()
