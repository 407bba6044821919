"""Cut-offs for new units: they fall, count what the point counts, and are the same everywhere."""

from collections import Counter
from html import escape

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import tlpo
from tlpo.analysis.card import make_card
from tlpo.analysis.json_values import number, numbers
from tlpo.analysis.load import decode, to_json
from tlpo.analysis.models import Model
from tlpo.analysis.options import Options
from tlpo.analysis.points import points_at
from tlpo.analysis.summarize import complete, describe_sample, describe_tournament
from tlpo.document.blocks import Table
from tlpo.document.models import operating_points
from tlpo.document.numbers import figures
from tlpo.document.parts import cutoff
from tlpo.plurals import noun
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification

N_CHUNKS, N_SAMPLES = 10, 20  # 200 samples
SEEDS = [range(k * N_SAMPLES, (k + 1) * N_SAMPLES) for k in range(N_CHUNKS)]


def learner(seed):
    """Of five samples three are overfitted, by least squares or logistic regression."""
    if seed % 20 == 0:
        return RandomForestClassifier(5, random_state=seed)
    if seed % 20 == 10:
        return SVC()
    return (
        tlpo.RLS(1.0),
        tlpo.RLS(1e-6),
        LogisticRegression(C=1e6, max_iter=1000),
        tlpo.RLS(1e-6),
        LogisticRegression(max_iter=1000),
    )[seed % 5]


def drawn(seed):
    """A small sample; of most, more features than units."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(8, 14))
    y = np.arange(m) % 3 == 0 if seed % 2 else np.arange(m) % 2 == 0
    X = rng.normal(size=(m, int(rng.integers(1, 3 * m)))) + rng.choice([0.0, 0.5, 2.0]) * y[:, None]
    return X, y


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seeds: f"from {seeds[0]}")
def seeds(request):
    return request.param


@pytest.fixture(scope="module")
def played(seeds):
    return [tlpo.tournament(learner(seed), *drawn(seed)) for seed in seeds]


def called(t, table):
    p, n = t.class_sizes
    return p * table["sensitivity"] + n * (1 - table["specificity"])


@pytest.mark.exhaustive
def test_cutoffs_fall_as_more_are_called_positive(played):
    for t in played:
        table = t.operating_points()
        cutoffs = table["cutoff"].to_numpy()
        assert (np.diff(called(t, table)) >= -1e-9).all()
        assert not np.isnan(cutoffs).any()
        assert (cutoffs[1:] <= cutoffs[:-1]).all()
        assert (cutoffs[0], cutoffs[-1]) == (np.inf, -np.inf)


@pytest.mark.exhaustive
def test_as_many_lie_above_a_cutoff_as_the_point_calls_positive(played):
    n_exact = 0
    for t in played:
        table, scores = t.operating_points(), t.held_out.scores
        above = (scores[:, None] > table["cutoff"].to_numpy()).sum(axis=0)
        wanted = np.rint(called(t, table)).astype(int)
        if np.unique(scores).size == scores.size:
            n_exact += 1
            np.testing.assert_array_equal(above, wanted)
            if t.curve == "tournament":
                np.testing.assert_array_equal(above, table["tp"] + table["fp"])
        else:  # of equal scores all or none lie above
            assert (above <= wanted).all()
    assert n_exact >= 0.7 * len(played)


@pytest.mark.exhaustive
def test_held_out_scores_against_means_by_hand(played):
    for t in played:
        y, F = t.labels.is_positive, t.predictions
        if t.held_out.scale == "score":
            for k in range(y.size):
                assert t.held_out.scores[k] == pytest.approx(F[k, y != y[k]].mean())
        else:
            assert ((t.held_out.scores >= 0) & (t.held_out.scores <= 1)).all()
            np.testing.assert_allclose(
                t.held_out.scores, t.probabilities.frame()["probability"], rtol=1e-12
            )


def test_the_scale_is_what_a_new_unit_gets():
    X, y = drawn(1)
    scales = {
        learner(seed).__class__.__name__: tlpo.tournament(learner(seed), X, y).held_out.scale
        for seed in (0, 10, 1, 2)
    }
    assert scales == {
        "RandomForestClassifier": "probability",
        "SVC": "score",
        "RLS": "score",
        "LogisticRegression": "probability",
    }


ASKED = {
    "specificity at least 0.8": {"specificity": 0.8},
    "sensitivity at least 0.8": {"sensitivity": 0.8},
    "largest sensitivity + specificity": {"rule": "youden"},
}


@pytest.mark.exhaustive
def test_the_page_shows_the_cutoffs_of_the_operating_points(played):
    for t in played:
        analysis = tlpo.report(t, specificity=0.8)
        (model,) = analysis.models
        table = t.operating_points()
        np.testing.assert_array_equal(numbers(model.curve.cutoffs), table["cutoff"])
        assert [point.point for point in model.operating_points] == list(ASKED)
        (shown,) = (b for b in operating_points(analysis).blocks if isinstance(b, Table))
        (cells,) = (row for row in shown.rows if row[0] == "A new unit is positive if")
        for point, cell in zip(model.operating_points, cells[1:], strict=True):
            limit = t.operating_point(**ASKED[point.point])["cutoff"]
            assert number(point.cutoff) == limit
            ends = {np.inf: "never", -np.inf: "always"}
            assert cell == ends.get(limit, f"{t.held_out.scale} > {figures(limit)}")


@pytest.mark.exhaustive
def test_the_app_shows_the_cutoffs_of_the_operating_points(played):
    """At every position of its slider: its analysis is the JSON, read back."""
    answer, n_told = pytest.importorskip("tlpo.app.answer"), Counter()
    for t in played:
        found = decode(to_json(tlpo.report(t, specificity=0.8, unit="patient"), []))
        (model,) = found.models
        points, table = points_at(found, model, 0.3), t.operating_points(0.3, 0.95)
        assert [number(point.cutoff) for point in points] == table["cutoff"].tolist()
        for point in points:
            shown = str(answer._point(point, model, found))
            said = cutoff(t.held_out.scale, point.cutoff)
            assert f"scored by the model of all patients: {escape(said)}.</p>" in shown
            n_told["at an end" if isinstance(point.cutoff, str) else "between"] += 1
        start, asked = points[answer._start(model)], t.operating_point(specificity=0.8)
        assert number(start.cutoff) == asked["cutoff"]
    assert n_told["between"] > n_told["at an end"] >= 2 * len(played)


@pytest.mark.exhaustive
def test_the_card_has_the_cutoffs_of_the_page(seeds, played):
    n_found = Counter()
    for seed, t in zip(seeds, played, strict=True):
        X, y = drawn(seed)
        table = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
        table["outcome"] = np.where(y, "yes", "no")
        sample, options = build_sample(table, Specification("outcome")), Options(specificity=0.8)
        model = Model("one", learner(seed), "a model")
        own = describe_tournament(model.name, t, options, "", "")
        analysis = complete(
            *(sample.labels, noun("patient"), [own], {model.name: t}, options),
            **{"source": None, "model_file": None, "target": "outcome"},
            **{"sample": describe_sample(sample), "baseline": []},
        )
        card = make_card(model, sample, t, analysis, options)
        assert card.scale == t.held_out.scale
        wanted = {name: t.operating_point(**asked) for name, asked in ASKED.items()}
        finite = {name: row for name, row in wanted.items() if np.isfinite(row["cutoff"])}
        assert {c.point: c.threshold for c in card.cutoffs} == {
            name: row["cutoff"] for name, row in finite.items()
        }
        for cut in card.cutoffs:
            assert cut.sensitivity.estimate == finite[cut.point]["sensitivity"]
            assert cut.specificity.estimate == finite[cut.point]["specificity"]
        n_found[len(finite)] += 1
    assert n_found[3] >= 1


def test_without_predictions_there_are_no_cutoffs():
    X, y = drawn(1)
    t = tlpo.tournament(tlpo.RLS(), X, y, predictions=False)
    assert t.held_out is None
    assert t.operating_points()["cutoff"].isna().all()
    with pytest.warns(UserWarning, match="held-out predictions was not kept"):
        (model,) = tlpo.report(t).models
    assert (model.scale, model.curve.cutoffs) == (None, None)
    assert [point.cutoff for point in model.operating_points] == [None] * 3
