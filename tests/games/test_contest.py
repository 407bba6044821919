"""Which games are played, by which engine, and what is shared between schemes."""

import pickle

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics.pairwise import linear_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVR

import estimators
import oracles
import tlpo
from engines.agreement import make
from tlpo.engines.least_squares import families
from tlpo.games import contest as contest_module
from tlpo.games.contest import Contest, ContestOptions, describe
from tlpo.games.schedule import Schedule


def test_auto_records_why_it_refits():
    X, y = make("plain", 12, 3, 6, 0.5, seed=17)
    t = tlpo.tournament(Ridge(positive=True), X, y)
    assert t.engine == "refit"
    assert t.diagnostics.why_not_faster == (
        "Coefficients that must be positive have no closed form."
    )
    assert tlpo.tournament(Ridge(), X, y).diagnostics.why_not_faster is None


def test_predictions_are_kept_while_they_fit(monkeypatch):
    X, y = oracles.blobs(m=8)
    monkeypatch.setattr("tlpo.execution.options.PREDICTIONS_BUDGET", 8 * 63)
    assert tlpo.tournament(Ridge(), X, y).predictions is None
    assert tlpo.tournament(Ridge(), X, y, predictions=True).predictions is not None


def test_no_game_between_the_classes_is_an_error():
    """An estimator that needs every positive unit can only play negatives against each other."""
    X, y = oracles.blobs(m=10)
    X[:, 0] = np.arange(10)
    picky = estimators.Fussy(needs=tuple(np.flatnonzero(y == 1).astype(float)))
    for scheme in (tlpo.tournament, tlpo.leave_pair_out):
        with pytest.raises(
            tlpo.GameError, match=r"No game (between the classes )?could be played;"
        ):
            scheme(picky, X, y, on_error="skip")


def test_all_games_failing_shows_the_causes():
    X, y = oracles.blobs(m=6)
    X[:, 0] = np.arange(6)
    picky = estimators.Fussy(needs=(0, 1, 2, 3, 4, 5), message="missing {}")
    with pytest.raises(tlpo.GameError) as caught:
        tlpo.tournament(picky, X, y, on_error="skip")
    assert str(caught.value) == (
        "No game could be played; 15 failed.\n"
        "The causes, with counts:\n"
        "  5 × ArithmeticError: missing 0\n"
        "  4 × ArithmeticError: missing 1\n"
        "  3 × ArithmeticError: missing 2\n"
        "  2 × ArithmeticError: missing 3\n"
        "  1 × ArithmeticError: missing 4\n"
        "Fix the cause; try estimator.fit(X, y) on all the data first."
    )


def test_what_is_no_estimator():
    X, y = oracles.blobs(m=8)
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.tournament(Ridge, X, y)
    assert str(caught.value) == (
        "estimator must be an instance, not a class.\nYou passed the class Ridge.\nPass Ridge()."
    )
    with pytest.raises(tlpo.InputError, match="You passed an object of type str without fit"):
        tlpo.tournament("ridge", X, y)


@pytest.mark.parametrize("n_jobs", [0, "2", 1.5])
def test_bad_numbers_of_jobs(n_jobs):
    X, y = oracles.blobs(m=8)
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.tournament(LogisticRegression(), X, y, n_jobs=n_jobs)
    assert str(caught.value) == (
        "n_jobs must be a whole number other than 0, or None.\n"
        f"You passed n_jobs={n_jobs!r}.\n"
        "For example n_jobs=2, or n_jobs=-1 for all cores."
    )


def test_unknown_words():
    X, y = oracles.blobs(m=8)
    with pytest.raises(tlpo.EngineError) as caught:
        tlpo.tournament(Ridge(), X, y, engine="warp")
    assert str(caught.value).startswith("There is no such engine.\nYou passed engine='warp'.\nUse ")
    assert "'refit'" in str(caught.value)
    with pytest.raises(tlpo.InputError, match="on_error must be one of 'raise', 'skip'"):
        tlpo.tournament(Ridge(), X, y, on_error="ignore")


class Steps(LogisticRegression):
    def __init__(self, steps=5):
        super().__init__()
        self.steps = steps


def test_an_attribute_called_steps_is_no_pipeline():
    X, y = oracles.blobs(m=8)
    assert tlpo.tournament(Steps(), X, y).estimator_name == "Steps"


@pytest.fixture
def data():
    return oracles.blobs(m=16, n=3, seed=0)


def calls(monkeypatch, place, name):
    """Note every call of a function, which still does its work."""
    made, original = [], getattr(place, name)

    def noted(*args, **kwargs):
        made.append(args)
        return original(*args, **kwargs)

    monkeypatch.setattr(place, name, noted)
    return made


# --- one check and one decomposition, whatever is asked


@pytest.mark.parametrize(
    ("estimator", "work"),
    [
        (tlpo.RLS(), "factorise"),  # more units than columns
        (KernelRidge(kernel="rbf"), "invert"),  # a kernel
    ],
    ids=["tall", "kernel"],
)
def test_schemes_share_one_check_and_one_decomposition(data, monkeypatch, estimator, work):
    X, y = data
    checks = calls(monkeypatch, contest_module, "make_problem")
    decompositions = calls(monkeypatch, families, work)
    schemes = ("tlpo", "lpo", "loo", "kfold-pooled", "kfold-averaged")
    table = tlpo.evaluate(estimator, X, y, schemes=schemes, random_state=0)
    assert len(checks) == len(decompositions) == 1
    apart = [
        tlpo.tournament(estimator, X, y).tlpo_auc,
        tlpo.leave_pair_out(estimator, X, y).auc,
        tlpo.leave_one_out(estimator, X, y).auc,
        tlpo.kfold(estimator, X, y, random_state=0).auc,
        tlpo.kfold(estimator, X, y, pooling="averaged", random_state=0).auc,
    ]
    assert table["auc"].tolist() == apart
    assert len(checks) == len(decompositions) == 1 + 5


def test_what_another_scheme_asks_is_not_decomposed_again(data, monkeypatch):
    X, y = data
    decompositions = calls(monkeypatch, families.Family, "decompose")
    contest = Contest(Ridge(), X, y)
    contest.play(Schedule())
    contest.play(Schedule("ordered"))
    contest.hold_out([np.array([0]), np.array([3, 4, 5])], "some sets")
    contest.outcomes(np.array([[0, 1], [2, 3]]), None)
    assert contest.reordering() is not None
    assert contest.exact_engine(Schedule()) == ("least-squares", 1.0)
    assert len(decompositions) == 1


# --- which engine plays


@pytest.mark.parametrize(
    ("estimator", "engine", "played_by", "why_not_faster"),
    [
        (
            LinearSVR(),
            "auto",
            "refit",
            "LinearSVR stops at a tolerance that leaves open who wins a close game.",
        ),
        (
            AdaBoostClassifier(n_estimators=2),
            "auto",
            "refit",
            "The models of AdaBoostClassifier build on each other, so all are fitted anew.",
        ),
        (
            BernoulliNB(),
            "auto",
            "refit",
            "No exact engine plays BernoulliNB.",
        ),
        (
            Ridge(solver="saga"),
            "auto",
            "refit",
            "A closed form would differ from the iterative solver 'saga'.",
        ),
        (Ridge(), "auto", "least-squares", None),
        (tlpo.InverseDistanceKNN(), "auto", "neighbors", None),
        (Ridge(), "least-squares", "least-squares", None),
        (Ridge(), "refit", "refit", None),
        (LogisticRegression(), "refit", "refit", None),
    ],
    ids=[
        "tolerance",
        "boosting",
        "unknown type",
        "refused parameter",
        "exact",
        "neighbours",
        "by name",
        "refit",
        "only",
    ],
)
def test_which_engine_plays_and_why_it_is_not_a_faster_one(
    data, estimator, engine, played_by, why_not_faster
):
    contest = Contest(estimator, *data, ContestOptions(engine=engine))
    played = contest.play(Schedule(listed=np.array([[0, 1], [1, 2], [0, 3]])))
    assert (played.engine, played.diagnostics.why_not_faster) == (played_by, why_not_faster)
    answered = contest.hold_out([np.array([0]), np.array([2])], "two sets")
    assert (answered.engine, answered.diagnostics.why_not_faster) == (played_by, why_not_faster)


@pytest.mark.parametrize(
    ("estimator", "engine", "reason"),
    [
        (LogisticRegression(), "least-squares", "It does not play estimators of type Logistic"),
        (Ridge(), "neighbors", "It does not play estimators of type Ridge.\n"),
        (
            Ridge(positive=True),
            "least-squares",
            "Coefficients that must be positive have no closed form.\n",
        ),
    ],
)
def test_an_engine_asked_by_name_that_does_not_apply(data, estimator, engine, reason):
    contest = Contest(estimator, *data, ContestOptions(engine=engine))
    for act in (
        lambda: contest.play(Schedule()),
        lambda: contest.hold_out([np.array([0])], "one set"),
    ):
        with pytest.raises(tlpo.EngineError) as caught:
            act()
        problem, passed, remedy = str(caught.value).split("\n")
        assert problem == f"Engine {engine!r} does not apply."
        assert f"{passed}\n".startswith(reason)
        assert remedy == "Use engine='auto', which uses an exact engine or refits."


def test_an_engine_that_gives_way_while_playing_says_why():
    """More features than units and no penalty: only decomposing shows that it is ill posed."""
    X, y = oracles.blobs(m=12, n=30)
    contest = Contest(Ridge(1e-12), X, y)
    assert contest.exact_engine(Schedule()) is None
    played = contest.play(Schedule())
    assert played.engine == "refit"
    assert played.diagnostics.why_not_faster == (
        "With more features than units and almost no penalty, what Ridge predicts depends on "
        "rounding."
    )
    with pytest.raises(tlpo.EngineError, match="depends on rounding"):
        Contest(Ridge(1e-12), X, y, ContestOptions(engine="least-squares")).play(Schedule())


@pytest.mark.parametrize(
    ("estimator", "engine", "expected"),
    [
        (tlpo.RLS(), "auto", "least-squares"),
        (tlpo.RLS(), "refit", None),
        (tlpo.InverseDistanceKNN(), "auto", "neighbors"),
        (LogisticRegression(), "auto", "logistic"),
        (BernoulliNB(), "auto", None),
    ],
)
def test_exact_engine(data, estimator, engine, expected):
    contest = Contest(estimator, *data, ContestOptions(engine=engine))
    for schedule in (Schedule(), Schedule("ordered"), Schedule(listed=np.array([[0, 1]]))):
        exact = contest.exact_engine(schedule)
        assert (None if exact is None else exact.engine) == expected


# --- which games may be played


@pytest.mark.parametrize(("kind", "least"), [("all", 3), ("ordered", 2)])
@pytest.mark.parametrize("estimator", [tlpo.RLS(), estimators.FixedFunction()])
def test_units_that_each_class_needs(estimator, kind, least):
    X = np.arange(8.0)[:, None]
    contest = Contest(estimator, X, np.arange(8) < least)
    n_games = 28 if kind == "all" else least * (8 - least)
    assert contest.play(Schedule(kind)).standings.n_games == n_games
    too_few = Contest(estimator, X, np.arange(8) < least - 1)
    out = "two" if kind == "all" else "one"
    with pytest.raises(tlpo.InputError) as caught:
        too_few.play(Schedule(kind))
    assert str(caught.value) == (
        f"Class True has too few units: leaving out {out} of them must leave one to train on.\n"
        f"You passed {least - 1} of class True among 8 units.\n"
        f"Collect at least {least} units of each class."
    )


# Unit 0 takes unit 1 along, so that its game with unit 2 takes all positives.
POSITIVES_FIRST = np.arange(10) < 3
TAKES_ALONG = {0: [1]}


def along(i, j):
    return TAKES_ALONG.get(i, []) + TAKES_ALONG.get(j, [])


@pytest.mark.parametrize("estimator", [tlpo.RLS(), estimators.FixedFunction()])
def test_a_game_that_cannot_be_played_is_refused_or_counted(estimator):
    X, _ = oracles.blobs(m=10)
    contest = Contest(estimator, X, POSITIVES_FIRST, ContestOptions(exclude=along))
    with pytest.raises(tlpo.InputError, match=r"Leaving out the pair \(0, 2\) and the units"):
        contest.play(Schedule())
    skipping = Contest(
        estimator, X, POSITIVES_FIRST, ContestOptions(exclude=along, on_error="skip")
    )
    played = skipping.play(Schedule())
    assert played.diagnostics.failures == {"only one class would be left to train on": 1}
    assert played.standings.n_games == played.diagnostics.pairs_played == 44
    assert played.diagnostics.warnings[0] == (
        "1 of 45 games would leave only one class to train on; estimates rest on 44."
    )
    listed = np.array([[0, 5], [0, 2], [3, 4]])
    outcome = skipping.play(Schedule(listed=listed)).outcome
    assert np.isnan(outcome).tolist() == [False, True, False]
    with pytest.raises(tlpo.InputError, match="Exclude fewer units") as caught:
        contest.outcomes(listed, None)  # every one of these is needed
    assert "on_error" not in str(caught.value)


def test_games_asked_for_step_by_step_are_checked_early():
    X, _ = oracles.blobs(m=10)
    groups = np.where(POSITIVES_FIRST, 0, np.arange(10))
    with pytest.raises(tlpo.InputError, match="Leaving out group 0 leaves no unit of class True"):
        Contest(tlpo.RLS(), X, POSITIVES_FIRST, ContestOptions(groups=groups)).require_playable()
    # With exclude only the games asked for count, but not too small a class.
    Contest(tlpo.RLS(), X, POSITIVES_FIRST, ContestOptions(exclude=along)).require_playable()
    with pytest.raises(tlpo.InputError, match="Class True has too few units"):
        Contest(tlpo.RLS(), X, np.arange(10) < 2, ContestOptions(exclude=along)).require_playable()


def test_outcomes_against_refits(data):
    X, y = data
    pairs = np.array([[0, 5], [5, 7], [2, 3]])
    F = oracles.held_out_predictions(SVC(kernel=linear_kernel), X, y)
    outcome, fits = Contest(SVC(kernel=linear_kernel), X, y).outcomes(pairs, None)
    assert outcome.tolist() == [oracles.heaviside(F[i, j], F[j, i]) for i, j in pairs]
    assert fits == 3


# --- the same contest with outcomes in another order


def test_reordered_against_a_contest_of_its_own(data):
    X, y = data
    names = np.where(y == 1, "well", "ill")
    units = np.roll(np.arange(y.size), 3)
    contest = Contest(
        tlpo.RLS(), X, names, ContestOptions(positive="well", n_jobs=2, progress=True)
    )
    before = contest.play(Schedule()).standings.wins
    reordered = contest.reordered(units)
    own = Contest(tlpo.RLS(), X, names[units], ContestOptions(positive="well"))
    played = reordered.play(Schedule())
    np.testing.assert_array_equal(played.standings.wins, own.play(Schedule()).standings.wins)
    assert not np.array_equal(played.standings.wins, before)
    assert reordered.problem.y.tolist() == own.problem.y.tolist()
    assert (reordered.labels.positive, reordered.labels.negative) == ("well", "ill")
    options = reordered.options
    assert (options.n_jobs, options.progress, options.journal) == (1, False, None)
    assert played.predictions is None
    np.testing.assert_array_equal(contest.play(Schedule()).standings.wins, before)


def test_reordering_is_for_engines_that_share_work_between_orders(data):
    X, y = data
    units = np.roll(np.arange(y.size), 3)
    for estimator in (tlpo.RLS(), tlpo.InverseDistanceKNN()):
        aucs, n_doubtful = Contest(estimator, X, y).reordering().shares(units[None], "all")
        assert aucs.tolist() == [tlpo.tournament(estimator, X, y[units]).tlpo_auc]
        assert n_doubtful.tolist() == [0]
    assert Contest(LogisticRegression(), X, y).reordering() is None


# --- a journal belongs to data, estimator and options


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({}, None),
        ({"estimator": LogisticRegression(C=2.0)}, "estimator"),
        ({"shift": 1.0}, "X"),
        ({"turn": True}, "y"),
        ({"positive": 0}, "positive"),
        ({"groups": np.arange(16)}, "groups"),
        ({"params": {"sample_weight": np.ones(16)}}, "params"),
        ({"on_error": "skip"}, "on_error"),
        ({"exclude": tlpo.Buffer(np.arange(16), 0)}, "exclude"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_journal_is_bound_to_what_the_games_depend_on(data, tmp_path, change, what):
    X, y = data
    pairs = np.array([[0, 1], [2, 9], [3, 5]])
    journal = tmp_path / "run.tlpo"

    def play(estimator=None, shift=0.0, turn=False, **options):
        made = ContestOptions(journal=journal, **options)
        labels = 1 - y if turn else y
        return Contest(estimator or LogisticRegression(), X + shift, labels, made).play(
            Schedule(listed=pairs)
        )

    first = play()
    if what is None:
        assert play(n_jobs=2, predictions=False).outcome.tolist() == first.outcome.tolist()
    else:
        with pytest.raises(tlpo.JournalError) as caught:
            play(**change)
        assert what in str(caught.value)


def test_a_journal_of_other_games_is_refused(data, tmp_path):
    X, y = data
    contest = Contest(LogisticRegression(), X, y, ContestOptions(journal=tmp_path / "run.tlpo"))
    contest.play(Schedule(listed=np.array([[0, 1], [2, 9]])))
    with pytest.raises(tlpo.JournalError, match="which games was 'some, "):
        contest.play(Schedule(listed=np.array([[0, 1], [2, 8]])))


def test_a_seed_is_needed_only_for_a_journal(data, tmp_path):
    X, y = data
    assert Contest(tlpo.RLS(), X, y).seed(None) is None
    assert Contest(tlpo.RLS(), X, y).seed(7) is None
    kept = Contest(tlpo.RLS(), X, y, ContestOptions(journal=tmp_path / "j"))
    assert kept.seed(np.int64(7)) == 7
    with pytest.raises(tlpo.InputError, match="A journal needs a fixed seed"):
        kept.seed(None)


# --- what travels


def test_a_pickled_contest_leaves_its_engines_behind(data):
    contest = Contest(tlpo.RLS(), *data)
    fresh = pickle.dumps(contest)
    expected = contest.play(Schedule()).standings.wins
    assert contest._made
    sent = pickle.dumps(contest)
    # What an outcome derives, a few numbers per unit, may travel.
    assert len(sent) < len(fresh) + 1500
    again = pickle.loads(sent)
    assert again._made == {}
    assert contest._made
    np.testing.assert_array_equal(again.play(Schedule()).standings.wins, expected)


def test_pipelines_are_named_by_their_steps():
    inner = make_pipeline(StandardScaler(), "passthrough", LogisticRegression())
    assert describe(inner) == "StandardScaler → LogisticRegression"
    assert describe(make_pipeline(inner, Ridge())) == "StandardScaler → LogisticRegression → Ridge"
    assert describe(Ridge(alpha=3)) == "Ridge"


@pytest.mark.parametrize(
    ("evaluate", "estimator", "sentence"),
    [
        (
            lambda model, X: tlpo.survival(model, X, np.arange(1.0, 13.0), np.ones(12, bool)),
            GridSearchCV(tlpo.Cox(), {"alpha": [1.0, 10.0]}, cv=2),
            "GridSearchCV is refitted for times to an event.",
        ),
        (
            lambda model, X: tlpo.concordance(model, X, np.arange(12) % 3),
            LogisticRegression(),
            "For numbers and grades, only regressors are played without refitting.",
        ),
    ],
)
def test_outcomes_that_no_engine_of_a_model_plays_are_named(evaluate, estimator, sentence):
    played = evaluate(estimator, np.random.default_rng(0).normal(size=(12, 2)))
    assert played.engine == "refit"
    assert played.diagnostics.why_not_faster == sentence
