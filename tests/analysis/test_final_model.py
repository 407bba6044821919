"""The final model against scikit-learn itself."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from tables import patients
from tlpo.analysis.final_model import NOTHING, describe_final
from tlpo.analysis.models import Model, make_model, make_runs
from tlpo.analysis.options import Options
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification


def described(model, sample):
    model = make_model(model, sample) if isinstance(model, str) else model
    ((_, contest),) = make_runs(sample, [model], Options())
    names = list(sample.X.columns)
    return model, describe_final(model, contest, names, sample.levels)


@pytest.fixture(scope="module")
def sample():
    return build_sample(patients(40).drop(columns="patient"), Specification("outcome"))


def test_coefficients_by_the_names_of_the_columns(sample):
    model, found = described("logistic", sample)
    fitted = model.estimator.fit(sample.X, sample.y)
    names = ("age", "marker", "smoker", "site: north", "site: south")
    weights = dict(zip(names, fitted[-1].coef_[0], strict=True))
    assert (found.kind, found.n) == ("coefficients", 5)
    assert {row.feature: row.value for row in found.rows} == pytest.approx(weights)
    sizes = [abs(row.value) for row in found.rows]
    assert sizes == sorted(sizes, reverse=True)


def test_coefficients_point_to_the_positive_label(sample):
    other = build_sample(
        patients(40).drop(columns="patient"), Specification("outcome", positive="no")
    )
    for name in ("logistic", "ridge", "lda", "rls"):
        # rls takes numbers only
        samples = [
            build_sample(
                patients(40)[["age", "marker", "outcome"]], Specification("outcome", positive)
            )
            for positive in ("yes", "no")
        ]
        (_, yes), (_, no) = (described(name, one) for one in samples)
        (first, *_), (second, *_) = yes.rows, no.rows
        assert first.feature == second.feature == "marker"
        assert first.value == pytest.approx(-second.value)
        assert first.value > 0  # the marker is higher in the ill
    assert other.labels.positive == "no"


def test_importances_the_largest_only():
    table = patients(30)[["outcome"]].assign(
        **{f"x{k}": np.random.default_rng(k).normal(size=30) for k in range(20)}
    )
    sample = build_sample(table, Specification("outcome"))
    _, found = described("forest:n_estimators=5", sample)
    forest = RandomForestClassifier(5, random_state=0).fit(sample.X.to_numpy(), sample.y)
    order = np.argsort(-forest.feature_importances_, kind="stable")[:15]
    assert (found.kind, found.n) == ("importances", 20)
    assert [row.feature for row in found.rows] == [f"x{k}" for k in order]


def test_the_apparent_auc_against_pairs(sample):
    model, found = described("logistic", sample)
    p = model.estimator.fit(sample.X, sample.y).predict_proba(sample.X)[:, 1]
    ill = sample.labels.is_positive
    wins = (p[ill][:, None] > p[~ill]) + 0.5 * (p[ill][:, None] == p[~ill])
    assert found.apparent_auc == pytest.approx(wins.mean())


def test_models_without_either_still_have_an_apparent_auc(sample):
    _, found = described("svm", sample)
    assert (found.kind, found.n, found.rows) == (None, 0, [])
    assert 0.5 < found.apparent_auc <= 1


class Contrary(LogisticRegression):
    def fit(self, X, y):
        raise SystemExit("not today")


class Boastful(LogisticRegression):
    @property
    def coef_(self):
        raise ArithmeticError("mine")

    @coef_.setter
    def coef_(self, value):
        self.kept = value

    def decision_function(self, X):
        return np.full(len(X), np.nan)

    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan)


def test_a_model_that_refuses_is_left_out(sample):
    for estimator in (Contrary(), Boastful()):
        table = patients(20)[["age", "marker", "outcome"]]
        own = Model("own", estimator, "own", is_own=True)
        _, found = described(own, build_sample(table, Specification("outcome")))
        assert found == NOTHING
