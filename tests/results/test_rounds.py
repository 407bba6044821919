"""A part of the tournament: its schedule, its AUC, and what the draw adds to it."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import estimators
import oracles
import tlpo
from studies.simulations import Simulation
from tlpo.games.response import outcomes
from tlpo.games.schedule import draw_rounds
from tlpo.problem.outcome import Classes
from tlpo.results.rounds import _tlpo, judge_rounds


@pytest.mark.parametrize("m", [14, 15])
def test_scores_against_loops(m):
    X, y = oracles.blobs(m=m, seed=1)
    t = tlpo.tournament(LogisticRegression(), X, y, rounds=4, random_state=0, engine="refit")
    wins, won, met = np.zeros(m), 0.0, 0
    for i, j in draw_rounds(m, 4, 0).reshape(-1, 2):
        train = [k for k in range(m) if k not in (i, j)]
        f_i, f_j = oracles.predict(LogisticRegression(), X, y, train, [i, j])
        wins[i] += oracles.heaviside(f_i, f_j)
        wins[j] += oracles.heaviside(f_j, f_i)
        if y[i] != y[j]:
            met += 1
            won += oracles.heaviside(f_i, f_j) if y[i] else oracles.heaviside(f_j, f_i)
    assert t.scores == pytest.approx(wins / 4 * (m - 1))
    assert t.tlpo_auc == pytest.approx(oracles.auc(wins, y))
    assert t.auc == t.lpo_auc == pytest.approx(won / met)
    assert t.diagnostics.pairs_played == t.diagnostics.fits == 2 * m
    assert np.isnan(t.consistency)


def test_all_opponents_are_the_full_tournament():
    X, y = oracles.blobs(m=12)
    full = tlpo.tournament(tlpo.RLS(), X, y)
    same = tlpo.tournament(tlpo.RLS(), X, y, rounds=11)
    assert np.array_equal(same.standings.wins, full.standings.wins)
    assert same.rounds is None
    assert same.diagnostics.added_sd == 0
    assert tuple(same.auc_interval()) == tuple(full.auc_interval())


@pytest.mark.parametrize(
    ("m", "opponents", "signal", "least", "most"),
    # Measured with 500 draws, ± 0.03: 1.03, 1.03, 1.04 and, where scores are crowded, 1.19.
    [(60, 10, 1, 0.9, 1.15), (60, 20, 4, 0.9, 1.15), (61, 10, 4, 0.9, 1.2), (60, 10, 10, 1.0, 1.4)],
)
def test_added_sd_against_draws(m, opponents, signal, least, most):
    setting = Simulation("ridge", m, 0.5, 10, signal)
    X, y = setting.draw(setting.rng(1))
    full = tlpo.tournament(setting.estimator, X, y)
    F, aucs, judged = full.predictions, [], []
    for seed in range(300):  # Monte-Carlo error of the ratio: 1/√600 = 0.04
        games = draw_rounds(m, opponents, seed)
        i, j = games.reshape(-1, 2).T
        outcome = outcomes(F[i, j], F[j, i]).reshape(games.shape[:2])
        aucs.append(_tlpo(games, outcome, full.labels))
        if seed < 60:
            judged.append(judge_rounds(games, outcome, full.labels))
    ratio = np.sqrt(np.mean([r.added_sd**2 for r in judged])) / np.std(aucs, ddof=1)
    assert least < ratio < most
    bias = np.mean(aucs) - full.auc
    # The estimate varies by 0.011 from draw to draw; the mean of 60 by 0.0015.
    assert np.mean([r.bias for r in judged]) == pytest.approx(bias, abs=0.4 * abs(bias) + 0.004)


def test_bias_is_the_jackknife_over_rounds():
    rng = np.random.default_rng(0)
    games, y = draw_rounds(12, 4, 0), np.arange(12) % 2 == 1
    outcome = rng.integers(0, 2, games.shape[:2]).astype(float)

    def auc(keep):
        wins = np.zeros(12)
        for game, won in zip(games[keep].reshape(-1, 2), outcome[keep].reshape(-1), strict=True):
            wins[game[0]] += won
            wins[game[1]] += 1 - won
        return oracles.auc(wins, y)

    without = [auc([k for k in range(4) if k != gone]) for gone in range(4)]
    expected = (1 - 4 / 11) * 3 * (np.mean(without) - auc([0, 1, 2, 3]))
    labels = Classes(y, False, True)
    assert judge_rounds(games, outcome, labels).bias == pytest.approx(expected)


def test_a_sure_result_adds_nothing_to_the_lpo_auc():
    X, y = oracles.blobs(m=20, shift=50.0)
    t = tlpo.tournament(estimators.FixedFunction(), X, y, rounds=6, random_state=0)
    assert t.lpo_auc == 1
    assert t.rounds.lpo_added_sd == 0
    low, high = t.auc_interval()
    assert low < 1 == high


def test_what_a_part_says_of_itself():
    X, y = oracles.blobs(m=40, shift=1.5)
    t = tlpo.tournament(tlpo.RLS(), X, y, rounds=10, random_state=0)
    text = repr(t)
    assert "not defined, games are missing" in text
    assert (
        f"every unit met 10 of 39 others; adds SD {t.rounds.added_sd:.4f} to the TLPO AUC, "
        f"{t.diagnostics.added_sd:.4f} to the LPO AUC"
    ) in text
    assert "200 games, 1 fit" in text
    assert t.diagnostics.warnings == (
        "With 10 games each, scores are coarse: the TLPO AUC is expected to be "
        f"{-t.rounds.bias:.3f} below that of all games. The LPO AUC is not biased.",
    )


def test_its_interval_is_wider_than_that_of_all_games_doubled():
    X, y = oracles.blobs(m=40)
    t = tlpo.tournament(tlpo.RLS(), X, y, rounds=10, random_state=0)
    interval = t.auc_interval()
    assert (interval.method, interval.estimate) == ("inflated", t.auc)
    model = interval.variance / interval.phi
    assert interval.phi == pytest.approx(2 + t.rounds.lpo_added_sd**2 / model)
    assert interval.notes == (
        "Every unit met 10 of 39 others, which does not show how models change without a unit: the "
        "variance of independent scores was doubled, and what the draw of games adds was added.",
    )
    assert t.sensitivity_interval(0.8).phi > 2
    assert (t.roc_band().low <= t.roc_band().high).all()
    assert {"sensitivity_low", "sensitivity_high"} <= set(t.operating_points(confidence_level=0.9))
    assert t.roc_curve().fpr[-1] == 1


def test_what_a_part_does_not_tell():
    X, y = oracles.blobs(m=40)
    t = tlpo.tournament(tlpo.RLS(), X, y, rounds=4, random_state=0)
    for call, message in (
        (
            lambda: t.sensitivity_interval(0.9),
            "Scores of so few games are too coarse for limits of the curve.\n"
            "You passed a tournament in which every unit met 4 others.\n"
            "Play with rounds=10 or more.",
        ),
        (
            lambda: t.by(np.arange(40) % 2),
            "Subgroups need the games of every pair.\n"
            "You passed a tournament in which every unit met 4 of 39 others.\n"
            "Play it without rounds.",
        ),
    ):
        with pytest.raises(tlpo.InputError) as caught:
            call()
        assert str(caught.value) == message


def test_games_that_fail_are_missing_from_their_round():
    X, y = oracles.blobs(m=14)
    fussy = estimators.Fussy(needs=(X[3, 0],))
    t = tlpo.tournament(fussy, X, y, rounds=4, random_state=0, on_error="skip")
    assert t.diagnostics.pairs_failed == 4  # all games of unit 3
    assert np.isnan(t.scores[3])
    assert "24 games of 28" in repr(t)
    assert t.diagnostics.added_sd > 0


def test_a_journal_of_rounds_needs_a_seed_and_knows_it(tmp_path):
    X, y = oracles.blobs(m=12)
    path = tmp_path / "games.journal"
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.tournament(LogisticRegression(), X, y, rounds=4, journal=path)
    assert str(caught.value) == (
        "A journal needs a fixed seed, so that a resumed run draws the same numbers.\n"
        "You passed random_state=None.\n"
        "For example random_state=0."
    )
    first = tlpo.tournament(LogisticRegression(), X, y, rounds=4, random_state=0, journal=path)
    again = tlpo.tournament(LogisticRegression(), X, y, rounds=4, random_state=0, journal=path)
    assert np.array_equal(first.scores, again.scores)
    with pytest.raises(tlpo.JournalError):
        tlpo.tournament(LogisticRegression(), X, y, rounds=4, random_state=1, journal=path)
