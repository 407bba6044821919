import math

import numpy as np
import pandas as pd
import pytest

import tlpo
from commands.running import run
from tables import patients
from tlpo.analysis.models import MODELS, default_model, make_model, parse_value
from tlpo.problem.outcome import SeveralClasses
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification


@pytest.mark.exhaustive
def test_a_model_of_ones_own(tmp_path):
    patients(12).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "mine.py").write_text(
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import StandardScaler\n"
        "from sklearn.linear_model import RidgeClassifier\n"
        "pipeline = make_pipeline(StandardScaler(), RidgeClassifier())\n"
    )
    result = run(
        *("run", "t.csv", "--target", "outcome", "--features", "marker", "--model"),
        *("mine:pipeline", "--quiet", "--n-jobs", "1"),
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stderr
    assert "mine:pipeline" in result.stdout


few_for_folds = pytest.mark.filterwarnings("ignore:.*The least populated class:UserWarning")


@few_for_folds
@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name, entry in MODELS.items() if entry.make])
def test_every_model_of_the_list_plays(name):
    table = patients(12)
    table.loc[2, "marker"] = np.nan
    sample = build_sample(table, Specification("outcome"))
    model = make_model(name, sample)
    t = tlpo.tournament(model.estimator, sample.X, sample.y)
    assert 0 <= t.auc <= 1
    if name == "constant":
        assert t.auc == 0.5


def test_preparation_is_fitted_inside():
    """Nothing of a held-out unit reaches its model: its outlier does not move the others' scale."""
    table = patients(16)[["age", "marker", "outcome"]]
    sample = build_sample(table, Specification("outcome"))
    model = make_model("ridge", sample).estimator
    t = tlpo.tournament(model, sample.X, sample.y)
    moved = sample.X.copy()
    moved.loc[0, "age"] = 1e6
    other = tlpo.tournament(model, moved, sample.y)
    near = np.isclose(t.predictions, other.predictions, rtol=1e-9, atol=1e-12, equal_nan=True)
    assert near[1:, 0].all()
    assert not near[1:, 1:].all()


def test_models_of_ones_own_and_parameters(tmp_path, monkeypatch):
    sample = build_sample(patients()[["age", "marker", "outcome"]], Specification("outcome"))
    assert make_model("knn:n_neighbors=3,weights=distance", sample).estimator[-1].n_neighbors == 3
    assert make_model("rls:regparam=0.5", sample).estimator.regparam == 0.5
    (tmp_path / "own_models.py").write_text(
        "from sklearn.linear_model import LogisticRegression\n"
        "model = LogisticRegression()\n"
        "def make():\n    return model\n"
        "number = 3\n"
    )
    (tmp_path / "ends.py").write_text("raise SystemExit(0)\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert make_model("own_models:model", sample).estimator.C == 1
    assert make_model("own_models:make", sample).estimator.C == 1
    for spec, message in (
        ("rigde", "Did you mean 'ridge'?"),
        ("knn:neighbours=3", "has no such parameter"),
        ("nothing.here:model", "cannot be imported"),
        ("own_models:other", "cannot be imported"),
        ("own_models:number", "is not an estimator"),
        ("sys:exit", "cannot be imported"),
        ("ends:model", "cannot be imported"),
    ):
        with pytest.raises(tlpo.InputError, match=message.replace("?", r"\?")):
            make_model(spec, sample)


def three_classes():
    return build_sample(
        patients(15)[["age", "marker"]].assign(site=["a", "b", "c"] * 5), Specification("site")
    )


@few_for_folds
@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [n for n, e in MODELS.items() if e.maker(SeveralClasses)])
def test_every_model_of_the_list_tells_several_classes_apart(name):
    sample = three_classes()
    k = tlpo.multiclass(make_model(name, sample).estimator, sample.X, sample.y)
    assert 0 <= k.auc <= 1


@pytest.mark.parametrize("name", ["lasso", "elastic-net", "idknn"])
def test_a_model_of_two_classes_is_refused_for_more(name):
    sample = three_classes()
    with pytest.raises(tlpo.InputError) as raised:
        make_model(name, sample)
    assert str(raised.value) == (
        f"The model cannot be used here.\n{name!r} is a model of two classes, and the outcome is "
        "several classes.\nChoose from ridge, ridge-cv, rls, logistic, glm, logistic-cv, lda, knn, "
        "bayes, svm, forest, boosting, constant."
    )
    # It would not be fitted.
    with pytest.raises(ValueError, match=r"binary|multiclass"):
        MODELS[name].default.fit(sample.X, sample.y)


def test_values_are_parsed_never_evaluated():
    assert parse_value("__import__('os').system('true')") == "__import__('os').system('true')"
    assert parse_value("inf") == math.inf  # no penalty at all: logistic:C=inf
    assert parse_value("1e3") == 1000.0


@pytest.mark.parametrize(
    ("spec", "described"),
    [
        ("ridge", "RidgeClassifier with default parameters (L2 penalty, alpha = 1)"),
        ("ridge:alpha=10", "RidgeClassifier with alpha=10 (L2 penalty, alpha = 10)"),
        ("logistic", "LogisticRegression with max_iter=1000, tol=1e-06 (L2 penalty, C = 1)"),
        (
            "logistic:C=0.1",
            "LogisticRegression with C=0.1, max_iter=1000, tol=1e-06 (L2 penalty, C = 0.1)",
        ),
        ("forest", "RandomForestClassifier with random_state=0"),
    ],
)
def test_parameters_that_are_not_the_defaults_are_named(spec, described):
    sample = build_sample(patients()[["age", "marker", "outcome"]], Specification("outcome"))
    assert make_model(spec, sample).described.removesuffix(", numeric features standardised") == (
        described
    )


@pytest.mark.parametrize(
    "spec", ["logistic:C=much", "logistic:l1_ratio=much", "ridge:alpha=much", "rls:regparam=much"]
)
def test_a_penalty_that_is_no_number_is_left_to_the_fit(spec):
    sample = build_sample(patients()[["age", "marker", "outcome"]], Specification("outcome"))
    assert "penalty" not in make_model(spec, sample).described


@pytest.mark.parametrize(
    ("spec", "penalty"),
    [
        (
            "lasso",
            "L1 penalty chosen inside every training set from 30 values in 10 folds: the smallest "
            "deviance; features standardised inside",
        ),
        (
            "elastic-net:choice=1se,n_folds=5",
            "elastic net, L1 share 0.5 chosen inside every training set from 30 values in 5 folds: "
            "the largest within one standard error; features standardised inside",
        ),
        (
            "ridge-cv",
            "L2 penalty chosen by leave-one-out inside every training set from 8 values of 0.001 "
            "to 10000",
        ),
        (
            "logistic-cv",
            "L2 penalty chosen by log loss in 5 folds inside every training set from 10 values of "
            "C, 0.0001 to 10000",
        ),
    ],
)
def test_a_penalty_that_is_chosen_inside_is_described(spec, penalty):
    sample = build_sample(patients()[["age", "marker", "outcome"]], Specification("outcome"))
    assert f"({penalty})" in make_model(spec, sample).described


def test_the_lasso_selects_features():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 10)), np.arange(40) % 2
    X[:, 0] += 2 * y
    lasso = MODELS["lasso"].make().set_params(choice="1se").fit(X, y)
    assert lasso.coef_[0, 0] > 0
    assert np.count_nonzero(lasso.coef_ == 0) >= 3


def test_a_model_of_ones_own_is_described_with_its_parameters(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import StandardScaler\n"
        "from sklearn.linear_model import RidgeClassifier\n"
        "model = make_pipeline(StandardScaler(with_mean=False), RidgeClassifier(alpha=3.0))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    sample = build_sample(patients()[["age", "marker", "outcome"]], Specification("outcome"))
    assert make_model("own:model", sample).described == (
        "StandardScaler with with_mean=False → RidgeClassifier with alpha=3.0 (L2 penalty, "
        "alpha = 3)"
    )


def _table(counts, n_numbers, levels=()):
    """Patients with so many of each class, numbers, and categories of so many levels."""
    m = sum(counts)
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        rng.normal(size=(m, n_numbers)), columns=[f"x{k}" for k in range(n_numbers)]
    )
    for k, n in enumerate(levels):
        table[f"c{k}"] = [f"level {u % n}" for u in range(m)]
    return table.assign(y=np.repeat([f"class {k}" for k in range(len(counts))], counts))


@pytest.mark.parametrize(
    ("table", "name", "why"),
    [
        (_table((40, 30), 3), "glm", "; 3 coefficients for 30 in the smaller class, at least"),
        (_table((40, 30), 4), "logistic", "; 4 coefficients for 30 in the smaller class, fewer"),
        (_table((40, 30), 1, [3]), "glm", "; 3 coefficients for 30 in the smaller class, at least"),
        (_table((40, 30), 1, [4]), "logistic", "; 4 coefficients for 30"),
        (_table((30, 20, 25), 2), "lda", "; 2 coefficients for 20 in the smallest class, at least"),
        (_table((30, 19, 25), 2), "ridge", "; 2 coefficients for 19 in the smallest class, fewer"),
    ],
)
def test_the_usual_model_depends_on_coefficients_and_patients(table, name, why):
    found = default_model(build_sample(table, Specification("y")))
    assert found.name == name
    assert f"{why}" in found.why
    assert found.why.startswith(MODELS[name].what)


def test_numbers_and_times_have_a_usual_model():
    table = _table((40, 40), 2).assign(score=np.arange(80.0), died=[0, 1] * 40)
    assert default_model(build_sample(table, Specification("score"))).name == "ridge"
    times = build_sample(table, Specification("died", time="score"))
    assert default_model(times).name == "cox"


def test_more_components_than_features_are_refused():
    sample = build_sample(patients(24)[["marker", "outcome"]], Specification("outcome"))
    with pytest.raises(tlpo.InputError) as raised:
        make_model("pls", sample)
    assert str(raised.value) == (
        "The model 'pls' needs as many features as it has components.\n"
        "It has 2 components, and the table has 1 feature: 'marker'.\n"
        "Use 'pls:n_components=1', or more features."
    )
    model = make_model("pls:n_components=1", sample)
    t = tlpo.tournament(model.estimator, model.features(sample), sample.y, positive="yes")
    linear = tlpo.tournament(tlpo.RLS(1e-9), sample.X, sample.y, positive="yes")
    assert t.auc == linear.auc  # one component of one feature is the feature
    # The levels of a category are features.
    coded = build_sample(patients(24)[["site", "outcome"]], Specification("outcome"))
    assert make_model("pls", coded).name == "pls"
