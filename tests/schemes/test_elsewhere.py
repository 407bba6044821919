"""Games from elsewhere give what playing gives, to the last bit."""

import pickle
import re

import numpy as np
import pandas as pd
import polars
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import tlpo
from tlpo.games.schedule import all_pairs, find_rounds
from tlpo.schemes.elsewhere import NOT_CHECKED

M = 27
rng = np.random.default_rng(4)
CLASS = np.arange(M) % 2
X = rng.normal(size=(M, 3)).round(1) + 0.6 * CLASS[:, None]
X[5] = X[8]  # a game that ties
NUMBER = (X[:, 0] + rng.normal(size=M)).round(1) * 1000
THREE = np.array(["a", "b", "c"])[np.arange(M) % 3]
TIME, EVENT = np.exp(-X[:, 0] + rng.normal(size=M)).round(2), rng.random(M) < 0.7
SURVIVAL = tlpo.time_to_event(TIME, EVENT)
GROUPS = np.arange(M) // 2


def listed(F, pairs, ids=None):
    """Return games as their players write them down: shuffled, sides swapped at random."""
    at = np.random.default_rng(0).permutation(len(pairs))
    i, j = pairs[at].T
    swap = np.random.default_rng(1).random(len(at)) < 0.5
    i, j = np.where(swap, j, i), np.where(swap, i, j)
    names = np.arange(len(F)) if ids is None else np.asarray(ids)
    return pd.DataFrame(
        {
            "game": at + 1,
            "i": names[i],
            "j": names[j],
            "prediction_i": F[i, j],
            "prediction_j": F[j, i],
        }
    )


def numbers_of(result):
    """Return everything that a reader of a result sees, as plain values."""
    found = {"standings": [result.standings.wins.tolist(), result.standings.games.tolist()]}
    found["ties"] = result.n_ties
    for name in ("scores", "consistency", "circular_triads", "win_matrix", "to_frame"):
        value = getattr(result, name)
        value = value() if callable(value) else value
        found[name] = np.asarray(value, dtype=object).tolist()
    if isinstance(result, tlpo.Tournament):
        found["auc"] = [result.auc, result.tlpo_auc, str(result.curve), repr(result.rounds)]
        found["interval"] = [*result.auc_interval(), *result.auc_interval(0.9, "newcombe")]
        found["curve"] = [part.tolist() for part in result.roc_curve()]
        found["points"] = result.operating_points(0.2, 0.9).to_numpy(object).tolist()
    else:
        found["concordance"] = [result.concordance, *result.concordance_interval()]
    if isinstance(result, tlpo.Survival) and result.opponents is None:
        found["times"] = [*result.auc_at_interval(1.0), result.uno()]
    return found


def assert_same(found, played):
    ours, theirs = numbers_of(found), numbers_of(played)
    assert ours.keys() == theirs.keys()
    for name in ours:
        np.testing.assert_equal(ours[name], theirs[name], err_msg=name)


OUTCOMES = {
    "log odds": (LogisticRegression(), CLASS, tlpo.tournament, {}, "log-odds"),
    "probabilities": (GaussianNB(), CLASS, tlpo.tournament, {}, "probability"),
    "ties": (KNeighborsClassifier(3), CLASS, tlpo.tournament, {}, "probability"),
    "scores": (tlpo.RLS(), np.where(CLASS, "no", "yes"), tlpo.tournament, {}, "score"),
    "numbers": (Ridge(), NUMBER, tlpo.concordance, {"order": True}, "score"),
    "grades": (
        KNeighborsRegressor(3),
        THREE,
        tlpo.concordance,
        {"order": ["b", "a", "c"]},
        "score",
    ),
    "survival": (tlpo.Cox(), SURVIVAL, tlpo.survival, {}, "score"),
}


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["alone", "groups"])
@pytest.mark.parametrize("rounds", [None, 10, 16])
@pytest.mark.parametrize("kind", OUTCOMES)
def test_results_against_playing(kind, rounds, groups):
    model, y, play, how, scale = OUTCOMES[kind]
    own = {k: v for k, v in how.items() if v is not True}
    played = play(model, X, y, groups=groups, rounds=rounds, random_state=3, **own)
    drawn = tlpo.pairs(y, groups=groups, rounds=rounds, random_state=3, **how)
    games = listed(played.predictions, drawn[["i", "j"]].to_numpy())
    found = tlpo.from_predictions(games, y, groups=groups, scale=scale, **how)
    assert type(found) is type(played)
    assert_same(found, played)
    if kind in ("log odds", "probabilities"):
        assert found.probabilities.brier() == played.probabilities.brier()
    assert found.engine == "elsewhere"
    assert NOT_CHECKED in found.diagnostics.warnings
    assert "elsewhere" in repr(found)
    if rounds is None:
        table = tlpo.from_predictions(played.predictions, y, groups=groups, scale=scale, **how)
        assert_same(table, played)


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["alone", "groups"])
def test_several_classes_against_playing(groups):
    played = tlpo.multiclass(GaussianNB(), X, THREE, groups=groups)
    tables = [each.predictions.full() for each in played.each]
    drawn = tlpo.pairs(THREE, groups=groups, random_state=0)[["i", "j"]].to_numpy()
    games = listed(tables[0], drawn)[["game", "i", "j"]]
    i, j = games["i"].to_numpy(), games["j"].to_numpy()
    for name, F in zip("abc", tables, strict=True):
        games[f"prediction_i_{name}"], games[f"prediction_j_{name}"] = F[i, j], F[j, i]
    for given in (games, np.stack(tables)):
        found = tlpo.from_predictions(given, THREE, groups=groups, scale="probability")
        assert isinstance(found, tlpo.Multiclass)
        assert (found.auc, *found.auc_interval()) == (played.auc, *played.auc_interval())
        pd.testing.assert_frame_equal(found.pairs, played.pairs, check_exact=True)
        pd.testing.assert_frame_equal(found.to_frame(), played.to_frame(), check_exact=True)
        pd.testing.assert_frame_equal(found.confusion, played.confusion)
        for name in "abc":
            assert_same(found.one_vs_rest[name], played.one_vs_rest[name])


@pytest.mark.parametrize("m", [6, 7, 24, 25])
def test_every_prefix_is_balanced_and_every_pair_is_there_once(m):
    games = tlpo.pairs(np.arange(m) % 2, random_state=1)[["i", "j"]].to_numpy()
    np.testing.assert_array_equal(games[np.lexsort(games.T[::-1])], all_pairs(m))
    for n in range(1, len(games) + 1):
        counts = np.bincount(games[:n].ravel(), minlength=m)
        assert np.ptp(counts) <= (2 if m % 2 else 1)


def test_training_units_are_all_but_the_two_and_their_groups():
    games = tlpo.pairs(CLASS, groups=GROUPS, train=True, random_state=0)
    for row in games.itertuples():
        gone = np.isin(GROUPS, GROUPS[[row.i, row.j]])
        assert row.train.tolist() == np.flatnonzero(~gone).tolist()
    near = tlpo.pairs(CLASS, exclude=lambda i, j: [(i + 1) % M], train=True, random_state=0)
    row = near.iloc[0]
    out = {row["i"], row["j"], (row["i"] + 1) % M}
    assert set(row["train"]) == set(range(M)) - out


def test_the_draw_of_rounds_is_that_of_a_tournament():
    t = tlpo.tournament(Ridge(), X, CLASS, rounds=4, random_state=9)
    drawn = tlpo.pairs(CLASS, rounds=4, random_state=9)[["i", "j"]].to_numpy()
    i, j = np.nonzero(np.triu(~np.isnan(t.predictions)))
    assert {*zip(i.tolist(), j.tolist(), strict=True)} == {*map(tuple, drawn.tolist())}
    assert find_rounds(drawn, M).shape == (2, M, 2)


@pytest.fixture(scope="module")
def played():
    return tlpo.tournament(Ridge(), X, CLASS)


@pytest.fixture
def games(played):
    drawn = tlpo.pairs(CLASS, random_state=0)
    i, j = drawn["i"], drawn["j"]
    F = played.predictions
    return drawn.assign(prediction_i=F[i, j], prediction_j=F[j, i])


@pytest.mark.parametrize(
    "kind",
    [
        lambda g: g.assign(note="x", prediction_k=np.inf),
        lambda g: {name: g[name].tolist() for name in g},
        lambda g: {name: g[name].to_numpy() for name in g if name != "game"},
        lambda g: polars.from_pandas(g),
        lambda g: g.to_records(index=False),
        lambda g: g.astype({"prediction_i": "Float64", "i": "Int64"}),
        lambda g: g.astype(object),
        lambda g: pd.concat(
            [g, g.iloc[:9], g.iloc[3:5].assign(prediction_i=None, prediction_j=None)]
        ),
    ],
)
def test_any_container_gives_the_same(kind, games, played):
    assert_same(tlpo.from_predictions(kind(games), CLASS), played)


def test_repeated_rows_are_said_and_counted_once(games, played):
    found = tlpo.from_predictions(pd.concat([games, games.iloc[:2]]), CLASS)
    assert "2 rows repeat a game with the same predictions" in found.diagnostics.warnings[1]
    assert found.auc == played.auc


def test_names_instead_of_places(games, played):
    ids = [f"P{k:03}" for k in range(M)]
    named = games.assign(i=[ids[k] for k in games["i"]], j=[ids[k] for k in games["j"]])
    assert_same(tlpo.from_predictions(named, CLASS, ids=ids), played)
    assert_same(tlpo.from_predictions(named, CLASS, ids=pd.Series(ids)), played)
    one = games.assign(i=games["i"] + 1, j=games["j"] + 1)
    assert_same(tlpo.from_predictions(one, CLASS, ids=range(1, M + 1)), played)
    drawn = tlpo.pairs(CLASS, random_state=0, ids=ids)
    assert drawn["i"].tolist() == named["i"].tolist()


def test_times_and_events_are_as_in_survival():
    played = tlpo.survival(tlpo.Cox(), X, TIME, EVENT)
    assert_same(tlpo.from_predictions(played.predictions, TIME, EVENT), played)
    assert tlpo.pairs(TIME, EVENT, random_state=2).equals(tlpo.pairs(SURVIVAL, random_state=2))


def without(games, rows):
    out = games.copy()
    out.loc[rows, ["prediction_i", "prediction_j"]] = np.nan
    return out


def test_a_few_missing_games_are_left_out_as_failures_are(games, played):
    gone = [3, 100, 200]
    found = tlpo.from_predictions(without(games, gone), CLASS)
    assert found.rounds is None
    assert found.diagnostics.failures == {"no predictions were passed": 3}
    assert "3 of 351 games have no predictions; estimates rest on 348." in repr(found)
    assert_same(tlpo.from_predictions(games.drop(index=gone), CLASS), found)
    pairs = games.loc[gone, ["i", "j"]].to_numpy()
    failing = FailsOn(pairs)
    skipped = tlpo.tournament(failing, np.column_stack([X, np.arange(M)]), CLASS, on_error="skip")
    assert skipped.diagnostics.pairs_failed == 3
    assert_same(tlpo.from_predictions(skipped.predictions, CLASS), skipped)


class FailsOn(Ridge):
    """Ridge regression that cannot be fitted without some pairs."""

    def __init__(self, pairs=(), alpha=1.0):
        super().__init__(alpha=alpha)
        self.pairs = pairs

    def fit(self, X, y):
        gone = set(range(M)) - set(X[:, -1].astype(int))
        if any(gone == set(pair) for pair in np.asarray(self.pairs).tolist()):
            raise ValueError("no")
        return super().fit(X[:, :-1], y)

    def predict(self, X):
        return super().predict(X[:, :-1])


def test_whole_rounds_so_far_are_rounds(games):
    """The first rounds of all games are a tournament with so many rounds."""
    part = without(games, slice(6 * M, None))
    found = tlpo.from_predictions(part, CLASS)
    assert found.rounds.opponents == 12
    assert_same(tlpo.from_predictions(games.iloc[: 6 * M], CLASS), found)
    assert found.auc_interval().method == "inflated"
    assert not np.isnan(found.rounds.bias)


def who_won(games):
    """Return 1, ½ or 0 for i."""
    gap = (games["prediction_i"] - games["prediction_j"]).to_numpy()
    return np.where(abs(gap) < 1e-9, 0.5, gap > 0)


@pytest.mark.parametrize("m", [40, 41])
def test_nearly_all_rounds_are_rounds(m):
    y = np.arange(m) % 2
    features = np.random.default_rng(m).normal(size=(m, 2)) + y[:, None]
    played = tlpo.tournament(tlpo.RLS(), features, y, rounds=38, random_state=1)
    drawn = tlpo.pairs(y, rounds=38, random_state=1)[["i", "j"]].to_numpy()
    games = listed(played.predictions, drawn)
    assert len(games) >= 0.95 * m * (m - 1) / 2
    assert_same(tlpo.from_predictions(games, y), played)
    every = listed(tlpo.tournament(tlpo.RLS(), features, y).predictions, all_pairs(m))
    every = every.sort_values("game").reset_index(drop=True)
    some = tlpo.from_predictions(without(every, [7]), y)  # not in the order of rounds
    assert some.rounds is None
    assert some.diagnostics.pairs_failed == 1


def test_any_other_part_is_an_answer_so_far_with_a_warning(games):
    part = without(games, np.arange(len(games)) % 3 != 0)
    with pytest.warns(UserWarning, match="117 of 351 games have been played"):
        found = tlpo.from_predictions(part, CLASS)
    first = part["prediction_i"].notna().to_numpy()
    i, j = games.loc[first, ["i", "j"]].to_numpy().T
    opposite = CLASS[i] != CLASS[j]
    won = who_won(games)[first]
    assert found.auc == np.where(CLASS[i] == 1, won, 1 - won)[opposite].mean()
    assert found.rounds.opponents == 2 * 117 // M
    assert np.isnan(found.rounds.bias)
    low, high = found.auc_interval()
    assert 0 < low < found.auc < high < 1


def test_what_is_uneven_or_apart_is_said(games):
    low = games[["i", "j"]].max(axis=1) < 20
    with pytest.warns(UserWarning, match=r"Units have played 0 to 19 games.*Units 20, 21,"):
        tlpo.from_predictions(games[low], CLASS)
    apart = (games["i"] < 12) == (games["j"] < 12)
    with pytest.warns(UserWarning, match="parts that have not met"):
        tlpo.from_predictions(games[apart], CLASS)
    kinds = {"a": 0, "b": 1, "c": 2}
    three = games.drop(columns=["prediction_i", "prediction_j"])
    for name in kinds:
        three[f"prediction_i_{name}"], three[f"prediction_j_{name}"] = 0.1, 0.2
    with pytest.warns(UserWarning, match="100 of 351"):
        k = tlpo.from_predictions(three.iloc[:100], THREE)
    assert k.diagnostics.failures == {"no predictions were passed": 251}


def test_ranks_keep_the_games_and_lose_only_what_shifts_tell(games, played):
    ranks = games.assign(prediction_i=who_won(games), prediction_j=1 - who_won(games))
    found = tlpo.from_predictions(ranks, CLASS, scale="rank")
    assert (found.auc, found.scores.tolist()) == (played.auc, played.scores.tolist())
    interval = found.auc_interval()  # without a warning: it was asked for
    assert interval.method == "inflated"
    assert interval.notes == (
        "Predictions of different models are not comparable, which leaves open how models change "
        "without a unit: the variance of independent scores was doubled instead of estimated.",
    )
    assert found.predictions is None
    np.testing.assert_array_equal(found.win_matrix(), played.win_matrix())
    assert found.curve == "tournament"
    half = np.where(np.arange(M) < 14, "x", "y")
    assert found.by(half)["auc"].tolist() == played.by(half)["auc"].tolist()
    assert "φ = 2" in found.by(half)["note"].iloc[0]
    assert tlpo.report(found).models[0].interval.method == "inflated"
    other = tlpo.tournament(KNeighborsClassifier(), X, CLASS)
    compared, full = tlpo.compare(found, other), tlpo.compare(played, other)
    assert compared.difference == full.difference
    assert compared.notes[0].startswith("Predictions of different models are not comparable, so")


def test_ranks_of_other_outcomes(games):
    ranks = games.assign(prediction_i=who_won(games), prediction_j=1 - who_won(games))
    for how in ({"y": NUMBER, "order": True}, {"y": TIME, "event": EVENT}):
        c = tlpo.from_predictions(ranks, **how, scale="rank")
        full = tlpo.from_predictions(games, **how)
        assert c.concordance == full.concordance
        interval = c.concordance_interval()
        assert "not comparable" in interval.notes[0]
        assert interval.jackknife_variance is None
        np.testing.assert_array_equal(c.win_matrix(), full.win_matrix())
        assert c.predictions is None
        half = np.where(np.arange(M) < 14, "x", "y")
        assert c.by(half)["concordance"].tolist() == full.by(half)["concordance"].tolist()
        note = tlpo.compare(c, tlpo.from_predictions(games, **how)).notes[0]
        assert note.startswith("Predictions of different models are not comparable, so")
    assert c.auc_at(1.0) == full.auc_at(1.0)
    low, high = c.auc_at_interval(1.0)
    assert low < c.auc_at(1.0) < high
    three = ranks.assign(
        **{f"prediction_{s}_{k}": ranks[f"prediction_{s}"] for s in "ij" for k in "abc"}
    )
    k = tlpo.from_predictions(three, THREE, scale="rank")
    assert "not comparable" in k.auc_interval().notes[0]
    assert k.confusion is None
    assert k.one_vs_rest["a"].auc_interval().method == "inflated"


def test_results_can_be_compared_chosen_reported_and_pickled(games, played, tmp_path):
    found = tlpo.from_predictions(games, CLASS, name="net")
    other = tlpo.tournament(KNeighborsClassifier(), X, CLASS)
    assert tlpo.compare(found, other).p_value == tlpo.compare(played, other).p_value
    assert tlpo.choose(found, other).auc == tlpo.choose(played, other).auc
    tlpo.report([found, other], tmp_path / "r.md")
    page = (tmp_path / "r.md").read_text()
    assert "The comparisons of net were made elsewhere." in page
    assert "by other software" in page
    assert "Engine elsewhere" not in page
    assert_same(pickle.loads(pickle.dumps(found)), played)


def refused(call, *words):
    with pytest.raises(tlpo.InputError) as error:
        call()
    said = str(error.value)
    assert len(said.splitlines()) == 3, said
    for word in words:
        assert word in said, said


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda g: g.drop(columns="prediction_j"), ["no column 'prediction_j'"]),
        (lambda g: g.drop(columns="i"), ["no column 'i'", "'game', 'j'"]),
        (lambda g: g.assign(prediction_i=np.nan, prediction_j=np.nan), ["No game has been played"]),
        (
            lambda g: g.assign(prediction_i=g["prediction_i"].mask(g.index == 4)),
            ["in 1 game (game 5)", "both"],
        ),
        (
            lambda g: g.assign(prediction_i=np.inf),
            ["finite", "351 games (game 1, game 2, game 3, …)"],
        ),
        (lambda g: g.assign(prediction_i="high"), ["must be numbers", "'high'"]),
        (lambda g: g.assign(prediction_i=1j), ["must be numbers"]),
        (lambda g: g.assign(i=g["j"]), ["No unit plays against itself"]),
        (
            lambda g: g.assign(i=g["i"] + 1, j=g["j"] + 1),
            ["27 for 27 units", "range(1, len(y) + 1)"],
        ),
        (lambda g: g.assign(i=g["i"] + 90), ["units that y does not have"]),
        (lambda g: g.assign(i=g["i"] + 0.5), ["counted from 0"]),
        (lambda g: g.assign(i="P1"), ["'P1'", "ids"]),
        (
            lambda g: pd.concat([g, g.iloc[:2].assign(prediction_i=7.0)]),
            ["played twice", "2 such pairs", "in game 1 and game 1."],
        ),
        (lambda g: {**{n: g[n].tolist() for n in g}, "j": [1]}, ["351 and 1 values"]),
        (lambda g: {**{n: g[n].tolist() for n in g}, "prediction_j": [1.0]}, ["1 and 351"]),
        (lambda g: np.zeros((4, 4)), ["(27, 27)", "(4, 4)", "F[i, j]"]),
        (lambda g: "games.csv", ["type str"]),
        (lambda g: np.full((M, M), np.inf), ["finite", "[0, 1]"]),
        (
            lambda g: np.where(np.triu(np.ones((M, M))), 1.0, np.nan),
            ["both units"],
        ),
    ],
)
def test_games_that_cannot_be_are_refused(change, words, games):
    refused(lambda: tlpo.from_predictions(change(games), CLASS), *words)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"ids": range(5)}, ["one name per unit", "5 names for 27"]),
        ({"ids": ["x"] * M}, ["name of its own", "'x' more than once"]),
        ({"ids": [None, *range(1, M)]}, ["1 missing"]),
        ({"ids": [f"P{k}" for k in range(M)]}, ["not known", "units are called 'P0'"]),
        ({"scale": "per cent"}, ["scale must be one of"]),
        ({"scale": "probability"}, ["between 0 and 1", "log-odds"]),
        ({"scale": "rank", "curve": "leave-pair-out"}, ["pools predictions"]),
        ({"order": True, "scale": "probability"}, ["Only classes have"]),
        ({"groups": [1, 2]}, ["groups must have one value per unit"]),
        ({"groups": CLASS}, ["leaves no unit of class"]),
    ],
)
def test_options_that_cannot_be_are_refused(how, words, games):
    refused(lambda: tlpo.from_predictions(games, CLASS, **how), *words)


def test_outcomes_that_cannot_be_are_refused(games):
    refused(lambda: tlpo.from_predictions(games, CLASS[:9]), "that y does not have")
    refused(lambda: tlpo.from_predictions(games, THREE, scale="log-odds"), "prediction_i_a")
    refused(lambda: tlpo.pairs([0, 0, 1, 1]), "too few units")
    for y in ([], [0], [0, 1], [0, 1, 1]):
        refused(lambda y=y: tlpo.pairs(y), "class")
        refused(lambda y=y: tlpo.pairs(y, order=True), "You passed")
    refused(lambda: tlpo.pairs(THREE, rounds=4), "Several classes play all games")
    refused(lambda: tlpo.pairs(CLASS, rounds=5), "odd number of units")
    refused(lambda: tlpo.pairs(None), "y")
    own = CLASS[games["i"]] == CLASS[games["j"]]
    refused(lambda: tlpo.from_predictions(games[own], CLASS), "No game between the classes")


def test_words_of_other_libraries_are_answered():
    with pytest.raises(TypeError, match=re.escape("Pass positive=1.")):
        tlpo.from_predictions({}, CLASS, pos_label=1)
    with pytest.raises(TypeError, match=re.escape("Pass random_state=1.")):
        tlpo.pairs(CLASS, seed=1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(12))
def test_random_problems_against_playing(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(10, 45))
    y = np.resize([0, 1, 0, 1, 1], m)
    X = rng.normal(size=(m, 2)).round(int(rng.integers(0, 3))) + 0.5 * y[:, None]
    groups = rng.integers(0, m // 2, m) if seed % 2 else None
    even = m - 1 if m % 2 else m
    rounds = None if seed % 3 else int(rng.integers(2, even // 2)) * 2
    outcomes = [
        (tlpo.tournament, LogisticRegression(C=0.1), y, {}, "log-odds"),
        (tlpo.tournament, GaussianNB(), y, {}, "probability"),
        (
            tlpo.concordance,
            Ridge(),
            np.round(X[:, 0] + rng.normal(size=m), 1),
            {"order": True},
            "score",
        ),
        (
            tlpo.survival,
            tlpo.Cox(),
            tlpo.time_to_event(rng.exponential(size=m) + 0.01, y),
            {},
            "score",
        ),
    ]
    for play, model, y, how, scale in outcomes:
        played = play(model, X, y, groups=groups, rounds=rounds, random_state=seed)
        drawn = tlpo.pairs(y, groups=groups, rounds=rounds, random_state=seed, **how)
        games = listed(played.predictions, drawn[["i", "j"]].to_numpy())
        found = tlpo.from_predictions(games, y, groups=groups, scale=scale, **how)
        if rounds is None or rounds >= 10:
            assert_same(found, played)
        elif play is tlpo.tournament:  # too few games for limits of the curve
            assert repr(found.auc_interval()) == repr(played.auc_interval())
        else:
            assert repr(found.concordance_interval()) == repr(played.concordance_interval())
