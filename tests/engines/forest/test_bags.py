"""Bags, their distribution, and who judges whom."""

import numpy as np
import pytest
from scipy.stats import chisquare

from tlpo.engines.forest.bags import Trees, TreeSequence, pack, section_name, unpack


class Counting:
    """Answers with the number of different units in the bag plus the unit's own number."""

    bag_size = 6
    method = "predict"
    n_notes = 0

    def grow(self, bag, out, rng):
        return np.unique(bag).size + out.astype(float)


def sequence(seed=0, n_left_out=2, grower=None):
    return TreeSequence(seed, 8, n_left_out, grower or Counting())


def test_a_bag_depends_on_the_seed_and_its_number_alone():
    numbers = np.array([0, 5, 17])
    is_out = sequence().is_out(numbers)
    for column, number in zip(is_out.T, numbers, strict=True):
        bag, rng = sequence().bag(number)
        again, other = sequence().bag(number)
        assert np.array_equal(bag, again)
        assert rng.integers(10**9) == other.integers(10**9)
        assert np.array_equal(np.flatnonzero(~column), np.unique(bag))
    assert not np.array_equal(sequence(1).is_out(numbers), is_out)
    assert not np.array_equal(sequence(0, 1).is_out(numbers), is_out)


def test_growing_does_not_depend_on_the_chunk():
    together = sequence().grow(np.array([3, 4, 9]), stop_at_failure=True)
    for k, number in enumerate((3, 4, 9)):
        alone = sequence().grow(np.array([number]), stop_at_failure=True)
        assert np.array_equal(together.answers[k], alone.answers[0], equal_nan=True)
    assert together.fits == together.finished == 3
    is_out = sequence().is_out(np.array([3, 4, 9]))
    assert np.array_equal(np.isnan(together.answers), ~is_out.T)


def test_bags_without_a_pair_against_theory():
    """Given that 0 and 1 are missing, the six draws are uniform on the other six units."""
    drawn = sequence()
    bags = np.array([drawn.bag(number)[0] for number in range(12_000)])
    without = bags[~np.isin(bags, (0, 1)).any(axis=1)]
    assert abs(len(without) / 12_000 - drawn.share) < 4 * np.sqrt(0.178 * 0.822 / 12_000)
    assert chisquare(np.bincount(without.ravel(), minlength=8)[2:]).pvalue > 0.001
    together = np.zeros((6, 6))  # the first and the last draw are independent
    np.add.at(together, (without[:, 0] - 2, without[:, -1] - 2), 1)
    assert chisquare(together.ravel()).pvalue > 0.001


@pytest.mark.parametrize("n_judges", [1, 4, 200])
def test_only_trees_that_judge_are_needed(n_judges):
    trees = Trees(sequence(), n_judges)
    sets = np.array([[0, 1], [2, 7]])
    needed = trees.needed(sets)
    judges = [trees.judges(units) for units in sets]
    assert [j.size for j in judges] == [n_judges, n_judges]
    assert np.array_equal(needed, np.unique(np.concatenate(judges)))
    for units, numbers in zip(sets, judges, strict=True):
        qualified = [
            n for n in range(numbers[-1] + 1) if not set(units) & set(trees.sequence.bag(n)[0])
        ]
        assert numbers.tolist() == qualified
    assert trees.needed(np.empty((0, 2), dtype=int)).size == 0


def test_further_bags_do_not_change_the_judges():
    few, many = Trees(sequence(), 3), Trees(sequence(), 3)
    many._draw(500)
    pair = np.array([[3, 4]])
    assert np.array_equal(few.needed(pair), many.needed(pair))


def test_responses_against_a_loop():
    trees = Trees(sequence(), 5)
    sets = np.array([[0, 1], [2, 7], [3, 4]])
    needed = trees.needed(sets)
    trees.take(needed, trees.sequence.grow(needed, stop_at_failure=True))
    assert trees.is_grown.sum() == needed.size
    for units, response in zip(sets, trees.responses(sets)[0], strict=True):
        sizes = [np.unique(trees.sequence.bag(n)[0]).size for n in trees.judges(units)]
        assert response == pytest.approx(np.mean(sizes) + units)


class Failing(Counting):
    """Fails on bags without unit 0, and does not know what to say about unit 7."""

    def grow(self, bag, out, rng):
        if 0 not in bag:
            raise ArithmeticError("no unit 0")
        return np.where(out == 7, np.nan, 1.0)


def test_failures_are_kept_or_end_the_chunk():
    numbers = np.arange(40)
    kept = sequence(grower=Failing()).grow(numbers, stop_at_failure=False)
    is_out = sequence().is_out(numbers).T
    for number, row in enumerate(kept.answers):
        if is_out[number, 0]:
            assert kept.causes[number] == "ArithmeticError: no unit 0"
            assert np.all(row[is_out[number]] == np.inf)
        elif is_out[number, 7]:
            assert kept.causes[number] == "predict returned nan for unit 7"
            assert row[7] == np.inf
            assert np.all(row[is_out[number] & (np.arange(8) < 7)] == 1)
        else:
            assert number not in kept.causes
    assert len(set(kept.causes.values())) == 2
    first = min(kept.causes)
    stopped = sequence(grower=Failing()).grow(numbers, stop_at_failure=True)
    assert stopped.finished == first
    assert stopped.fits == first + 1
    assert stopped.stopped.cause == kept.causes[first]
    assert stopped.stopped.test.tolist() == [first]


def test_who_is_affected_by_a_failure():
    trees = Trees(sequence(grower=Failing()), 4)
    sets = np.array([[1, 2], [0, 3], [0, 5], [4, 7]])
    needed = trees.needed(sets)
    trees.take(needed, trees.sequence.grow(needed, stop_at_failure=False))
    responses = trees.responses(sets)[0]
    assert not np.isfinite(responses[1:]).all(axis=1).any()
    assert trees.cause(sets[1]) == "ArithmeticError: no unit 0"
    number = int(trees.judges(sets[2])[-1])
    expected = next(units for units in sets if number in trees.judges(units))
    assert np.array_equal(trees.judged_by(number, sets), expected)


def test_what_a_journal_keeps():
    own = sequence(grower=Failing())
    numbers = np.arange(12)[::-1]
    grown = own.grow(numbers, stop_at_failure=False)
    again = unpack(pack(grown), numbers, own)
    assert np.array_equal(again.answers, grown.answers, equal_nan=True)
    assert (again.seed, again.causes, again.fits) == (grown.seed, grown.causes, 12)
    assert grown.causes
    for name, value in (
        ("seed", own.seed + 1),
        ("fits", 2),
        ("causes", []),
        ("causes", [[3, 4]]),
        ("answers", grown.answers[:2]),
        ("answers", np.zeros_like(grown.answers)),
        ("answers", grown.answers.astype(np.float32)),
    ):
        assert unpack({**pack(grown), name: value}, numbers, own) is None
    assert unpack({}, numbers, own) is None


class Noting(Failing):
    """Notes the first draw and the last."""

    n_notes = 2

    def grow(self, bag, out, rng):
        return np.r_[super().grow(bag, out, rng), bag[[0, -1]]]


def test_notes_are_kept_beside_the_answers():
    own, numbers = sequence(grower=Noting()), np.arange(12)
    grown, plain = (s.grow(numbers, False) for s in (own, sequence(grower=Failing())))
    assert grown.causes == plain.causes
    assert np.array_equal(grown.answers[:, :8], plain.answers, equal_nan=True)
    for number, notes in enumerate(grown.answers[:, 8:]):
        bag = own.bag(number)[0]
        if 0 in bag:
            assert np.array_equal(notes, bag[[0, -1]])
        else:  # could not be grown
            assert np.isnan(notes).all()
    again = unpack(pack(grown), numbers, own)
    assert np.array_equal(again.answers, grown.answers, equal_nan=True)
    grown.answers[min(set(numbers) - set(grown.causes)), 9] = np.nan
    assert unpack(pack(grown), numbers, own) is None
    assert unpack(pack(plain), numbers, own) is None
    assert unpack(pack(grown), numbers, sequence(grower=Failing())) is None


def test_names_of_sections_differ():
    names = {
        section_name(*which)
        for which in (
            (sequence(), np.arange(3)),
            (sequence(1), np.arange(3)),
            (sequence(0, 1), np.arange(3)),
            (sequence(), np.arange(4)),
        )
    }
    assert len(names) == 4
    assert section_name(sequence(), np.arange(3)) in names
