"""Options that several schemes share: what is taken, and the whole message about what is not."""

import numpy as np
import pytest

import tlpo
from tlpo.checks import (
    journal_seed,
    require_choice,
    require_count,
    require_level,
    require_share,
    seed_sequence,
)


def message(check, *args):
    with pytest.raises(tlpo.InputError) as caught:
        check(*args)
    return str(caught.value)


def test_seeds_of_every_kind():
    assert seed_sequence(7).entropy == seed_sequence(np.int64(7)).entropy == 7
    assert seed_sequence(None).entropy != seed_sequence(None).entropy
    for kind in (np.random.RandomState, np.random.default_rng):
        one, again = seed_sequence(kind(3)), seed_sequence(kind(3))
        assert one.entropy == again.entropy
        state = kind(3)
        assert seed_sequence(state).entropy != seed_sequence(state).entropy  # it moves on


@pytest.mark.parametrize("bad", [-1, 1.5, "0"])
def test_seeds_that_are_refused(bad):
    assert message(seed_sequence, bad) == (
        "random_state must be a non-negative whole number, a NumPy generator or None.\n"
        f"You passed random_state={bad!r}.\n"
        "For example random_state=0."
    )


def test_a_journal_needs_a_seed_that_can_be_written_down():
    assert journal_seed(None, None) is None
    assert journal_seed(None, 3) is None
    assert journal_seed("run.tlpo", np.int32(3)) == 3
    assert type(journal_seed("run.tlpo", np.int32(3))) is int
    assert message(journal_seed, "run.tlpo", None) == (
        "A journal needs a fixed seed, so that a resumed run draws the same numbers.\n"
        "You passed random_state=None.\n"
        "For example random_state=0."
    )


def test_choices():
    require_choice("pooling", "pooled", ("pooled", "averaged"))
    assert message(require_choice, "pooling", "pool", ("pooled", "averaged")) == (
        "pooling must be one of 'pooled', 'averaged'.\n"
        "You passed pooling='pool'.\n"
        "For example pooling='pooled'."
    )


def test_counts_at_their_limits():
    for value in (2, np.int64(2), 5):
        require_count("n_splits", value, 2, 5)
    require_count("n_sorts", 10**9, 1)
    for value in (1, 6, 2.0, True, "3", None):
        assert message(require_count, "n_splits", value, 2, 5) == (
            "n_splits must be a whole number, at least 2 and at most 5, the number of units.\n"
            f"You passed n_splits={value!r}.\n"
            "For example n_splits=5."
        )
    assert message(require_count, "n_sorts", 0, 1) == (
        "n_sorts must be a whole number, at least 1.\nYou passed n_sorts=0.\nFor example n_sorts=1."
    )


def test_levels_are_strictly_between_their_limits():
    for value in (1e-9, 0.5, np.float32(0.9)):
        require_level("confidence_level", value)
    for value in (0, 1, 95, -0.1, np.nan, True, "0.95"):
        assert message(require_level, "confidence_level", value) == (
            "confidence_level must be strictly between 0 and 1.\n"
            f"You passed confidence_level={value!r}.\n"
            "For example confidence_level=0.95 for 95 %."
        )
    assert message(require_level, "stop_at", 5).endswith("For example stop_at=0.05 for 5 %.")


def test_shares_may_be_at_their_limits():
    for value in (0, 1, 0.5, np.float64(1.0)):
        require_share("specificity", value)
    for value in (-0.01, 1.01, 90, np.nan, "0.9"):
        assert message(require_share, "specificity", value) == (
            "specificity must be between 0 and 1.\n"
            f"You passed specificity={value!r}.\n"
            "For example specificity=0.9 for 90 %."
        )
