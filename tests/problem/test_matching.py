"""Leave-pair-out between units that agree on a confounder."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import oracles
import tlpo


def games_of(result):
    return {frozenset(game) for game in np.argwhere(~np.isnan(result.predictions)).tolist()}


Y = np.array([1, 1, 1, 0, 0, 0, 0])
SEX = np.array(["m", "f", "m", "f", "f", "m", "x"])
AGE = np.array([30.0, 40.0, 80.0, 41.0, 46.0, 33.0, 35.0])
X7 = np.random.default_rng(0).normal(size=(7, 2))


@pytest.mark.parametrize("engine", ["least-squares", "refit"])
def test_hand_counted_pairs(engine):
    # By sex: 0-5, 1-3, 1-4, 2-5. By age within 5: 0-5, 0-6, 1-3, 1-6.
    by_sex = tlpo.leave_pair_out(Ridge(), X7, Y, match=SEX, engine=engine)
    assert games_of(by_sex) == {frozenset(g) for g in ((0, 5), (1, 3), (1, 4), (2, 5))}
    assert str(by_sex.matched) == "4 of 12 pairs; 1 negative has no partner"
    by_age = tlpo.leave_pair_out(Ridge(), X7, Y, match=tlpo.Window(AGE, 5), engine=engine)
    assert games_of(by_age) == {frozenset(g) for g in ((0, 5), (0, 6), (1, 3), (1, 6))}
    assert str(by_age.matched) == "4 of 12 pairs; 1 positive and 1 negative have no partner"
    both = tlpo.leave_pair_out(Ridge(), X7, Y, match=(SEX, tlpo.Window(AGE, 5)), engine=engine)
    assert games_of(both) == {frozenset(g) for g in ((0, 5), (1, 3))}
    assert (both.matched.idle_positives, both.matched.idle_negatives) == (1, 2)
    assert both.diagnostics.pairs_played == 2


@pytest.mark.parametrize("estimator", [Ridge(), tlpo.InverseDistanceKNN(2), LogisticRegression()])
def test_auc_against_loops(estimator):
    X, y = oracles.blobs(m=24, seed=2)
    rng = np.random.default_rng(1)
    site, age = rng.integers(0, 3, 24), rng.uniform(20, 80, 24)
    result = tlpo.leave_pair_out(estimator, X, y, match=(site, tlpo.Window(age, 20)))
    won, games = 0.0, 0
    for i in np.flatnonzero(y == 1):
        for j in np.flatnonzero(y == 0):
            if site[i] != site[j] or abs(age[i] - age[j]) > 20:
                continue
            train = [k for k in range(24) if k not in (i, j)]
            won += oracles.heaviside(*oracles.predict(estimator, X, y, train, [i, j]))
            games += 1
    assert result.auc == pytest.approx(won / games)
    assert result.matched.n_pairs == result.diagnostics.pairs_played == games
    assert f"matched    {games} of 144 pairs" in repr(result)


def test_every_unit_has_a_partner():
    result = tlpo.leave_pair_out(Ridge(), X7, Y, match=np.zeros(7))
    assert str(result.matched) == "12 of 12 pairs; every unit has a partner"
    assert result.auc == tlpo.leave_pair_out(Ridge(), X7, Y).auc
    assert tlpo.leave_pair_out(Ridge(), X7, Y).matched is None


def test_containers_and_groups():
    frame = pd.DataFrame({"sex": SEX, "age": AGE})
    plain = tlpo.leave_pair_out(Ridge(), X7, Y, match=SEX)
    for match in (frame["sex"], frame[["sex"]], frame["sex"].astype("category"), list(SEX)):
        assert games_of(tlpo.leave_pair_out(Ridge(), X7, Y, match=match)) == games_of(plain)
    windows = (tlpo.Window(frame["age"], 5), tlpo.Window(frame[["age"]], 5))
    for window in windows:
        assert tlpo.leave_pair_out(Ridge(), X7, Y, match=window).matched.n_pairs == 4
    # The groups hold all positives between them, but these do not meet on the list.
    groups = [0, 1, 2, 3, 4, 5, 6]
    t = tlpo.leave_pair_out(Ridge(), X7, Y, match=SEX, groups=groups)
    assert t.auc == plain.auc
    with pytest.raises(
        tlpo.InputError, match=r"Leaving out the pair \(0, 5\) and the units that go"
    ):
        tlpo.leave_pair_out(Ridge(), X7, Y, match=SEX, groups=[0, 0, 0, 1, 2, 3, 4])


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        (
            np.arange(7),
            "No positive unit matches a negative one.\n"
            "You passed 7 units, 3 positive (1) and 4 negative (0); none of their 12 pairs match.\n"
            "Widen the window, or match on fewer variables.",
        ),
        (
            ["m", None, "f", "f", "f", "m", float("nan")],
            "match has missing values.\n"
            "You passed 7 values, 2 of them missing (index 1, 6).\n"
            "Drop these units, or give them a category of their own.",
        ),
        (
            tlpo.Window([30, np.nan, 40, 50, 60, 70, 80], 5),
            "match has missing values.\n"
            "You passed 7 values, 1 of them missing (index 1).\n"
            "Drop these units, or give them a category of their own.",
        ),
        (
            SEX[:5],
            "match must hold one value per unit.\n"
            "You passed values of shape (5,) for 7 units.\n"
            "Pass the column of the confounder; pass several as a tuple.",
        ),
        (
            tlpo.Window(SEX, 5),
            "The values of a window must be numbers.\n"
            "You passed ndarray: could not convert string to float: np.str_('m').\n"
            "Pass categories without tlpo.Window: they match if they are equal.",
        ),
        (
            (),
            "match must name at least one variable to match on.\n"
            "You passed an empty tuple.\n"
            "For example match=sex, or match=(sex, tlpo.Window(age, 5)).",
        ),
    ],
)
def test_matches_that_are_refused(match, expected):
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.leave_pair_out(Ridge(), X7, Y, match=match)
    assert str(caught.value) == expected


@pytest.mark.parametrize("width", [-1, np.inf, np.nan, "5", True])
def test_widths_that_are_refused(width):
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.Window(AGE, width)
    assert str(caught.value) == (
        "width must be a non-negative number.\n"
        f"You passed width={width!r}.\n"
        "Give the largest difference between two matching units."
    )


def test_a_journal_knows_the_match(tmp_path):
    X, y = oracles.blobs(m=12)
    path = tmp_path / "games.journal"
    site = np.arange(12) % 3
    first = tlpo.leave_pair_out(LogisticRegression(), X, y, match=site, journal=path)
    again = tlpo.leave_pair_out(LogisticRegression(), X, y, match=site, journal=path)
    assert first.auc == again.auc
    with pytest.raises(tlpo.JournalError):
        tlpo.leave_pair_out(LogisticRegression(), X, y, match=site % 2, journal=path)
