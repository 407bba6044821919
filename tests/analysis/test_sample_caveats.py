"""Remarks on many features for the patients, and on columns with gaps."""

import json

import numpy as np
import pytest
from msgspec.structs import replace
from sklearn.linear_model import LogisticRegression

import tlpo
from analysis.analyses import KINDS, analysis_of
from analysis.judging import find_fault
from tables import patients
from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.remarks import Drop
from tlpo.analysis.sample_caveats import events_each, has_no_penalty
from tlpo.document.parts import flow_rows, say_each
from tlpo.document.write import json_of


def table(m=40, n_more=3):
    rng = np.random.default_rng(0)
    found = patients(m).drop(columns="site")
    for k in range(n_more):
        found[f"more{k}"] = rng.normal(size=m)
    return found


def found_in(analysis, code):
    return [remark for remark in remarks_on(analysis) if remark.code == code]


@pytest.fixture(scope="module")
def played():
    return analysis_of("glm", "ridge", table=table())


def test_a_model_without_a_penalty_needs_ten_of_the_smaller_class_for_each_feature(played):
    assert len(played.sample.numeric) == 6
    few = replace(played, n_positive=400, n_negative=20)
    assert events_each(few) == 20 / 6
    (remark,) = found_in(few, "events per variable")
    assert remark.worded() == (
        "glm: 20 patients in the smaller class for 6 features, 3.3 each. With fewer than 10 and no "
        "penalty, coefficients and probabilities tend to be too extreme, though the AUC here is "
        "not too high. Its interval allows for models that change with every patient they are "
        "trained on, and is wider for that. Use fewer features, chosen without looking at the "
        "outcome, or a penalty: logistic, ridge or lasso."
    )
    rows = dict(flow_rows(few.sample, "40", say_each(few)))
    assert (
        rows["Features"] == "6 numeric, 0 categorical; 3.33 patients of the smaller class for each"
    )


def test_the_interval_of_a_model_with_many_features_is_wider_for_its_changes():
    """As the remark says: the same signal, alone and with a dozen columns of noise."""
    factors = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = np.arange(50) % 2
        X = rng.normal(size=(50, 13))
        X[:, 0] += y
        model = LogisticRegression(C=np.inf)
        found = [tlpo.tournament(model, X[:, :n], y).auc_interval().phi for n in (1, 13)]
        factors.append(found[1] / found[0])
    assert min(factors) > 1.1


def test_a_penalty_or_enough_patients_need_no_remark(played):
    few = replace(played, n_positive=59, n_negative=400)
    assert found_in(few, "events per variable")
    assert not found_in(replace(few, n_positive=60), "events per variable")
    assert not found_in(replace(few, models=played.models[1:]), "events per variable")
    unknown = replace(few.sample, is_known=False)
    assert not found_in(replace(few, sample=unknown), "events per variable")


def test_a_penalised_model_needs_five_of_the_smaller_class_for_each_coefficient(played):
    one = replace(played, models=played.models[1:], n_positive=400, n_negative=40)
    few = one.models[0].final
    assert few.n == 6
    assert not found_in(replace(one, n_negative=20), "events per variable")  # not many
    many = replace(one.models[0], final=replace(few, n=12))
    one = replace(one, models=[many])
    (remark,) = found_in(one, "events per variable")
    assert remark.worded() == (
        "ridge: 40 patients in the smaller class for 12 coefficients, 3.3 each. With fewer than 5, "
        "even a penalised model changes with every patient it is trained on; the interval of the "
        "AUC allows for that and is wider for it. Fewer features, chosen without looking at the "
        "outcome, or more patients would narrow it."
    )
    assert not found_in(replace(one, n_negative=60), "events per variable")
    (remark,) = found_in(replace(one, n_negative=11), "events per variable")
    assert "12 coefficients, less than one each" in remark.text
    small = replace(one, n_negative=9)
    assert not found_in(small, "events per variable")
    assert found_in(small, "small class")
    forest = replace(many, final=replace(many.final, kind="importances"))
    assert not found_in(replace(one, models=[forest]), "events per variable")
    assert not found_in(replace(one, sample=replace(one.sample, is_known=False)), remark.code)


def test_most_columns_with_gaps_are_named_without_an_action():
    """To leave out the first five of them changes little."""
    patchy = table(n_more=8)
    more = [name for name in patchy if name.startswith("more")]
    patchy.loc[:11, more] = np.nan
    (remark,) = found_in(analysis_of("ridge", table=patchy), "gaps")
    assert remark.text.startswith("8 columns, such as ")
    assert remark.ways == ()
    patchy.loc[:11, more[5:]] = 0.0
    (remark,) = found_in(analysis_of("ridge", table=patchy), "gaps")
    assert remark.ways == (("In that case,", Drop(tuple(more[:5]))),)


def test_events_of_a_cox_regression_without_a_penalty():
    analysis = KINDS["survival"]()
    n, n_features = sum(analysis.event), len(analysis.sample.numeric + analysis.sample.categorical)
    model = replace(analysis.models[0], described="Cox with alpha=0 (no penalty)")
    (remark,) = found_in(replace(analysis, models=[model]), "events per variable")
    assert remark.worded() == (
        f"{model.name}: {n} events for {n_features} features, {n / n_features:.1f} each. With "
        "fewer than 10 and no penalty, coefficients and predicted risks tend to be too extreme, "
        "though the concordance here is not too high. Its interval allows for models that change "
        "with every patient they are trained on, and is wider for that. Use fewer features, chosen "
        "without looking at the outcome, or a penalty: cox with its usual alpha."
    )
    assert say_each(analysis) == f"; {n / n_features:.3g} events for each"


@pytest.mark.parametrize(
    ("estimator", "described", "expected"),
    [
        ("StandardScaler → LogisticRegression", "LogisticRegression with C=inf (no penalty)", True),
        ("LogisticRegression", "LogisticRegression with C=2 (L2 penalty, C = 2)", False),
        ("LinearDiscriminantAnalysis", "LinearDiscriminantAnalysis with default parameters", True),
        (
            "LinearDiscriminantAnalysis",
            "LinearDiscriminantAnalysis with shrinkage='auto', solver='lsqr'",
            False,
        ),
        ("LinearRegression", "LinearRegression with default parameters", True),
        ("CoxPHSurvivalAnalysis", "CoxPHSurvivalAnalysis with default parameters", True),
        ("CoxPHSurvivalAnalysis", "CoxPHSurvivalAnalysis with alpha=2", False),
        ("RandomForestClassifier", "RandomForestClassifier with default parameters", False),
        ("ElasticNetLogisticCV", "ElasticNetLogisticCV (L1 penalty chosen inside)", False),
    ],
)
def test_which_models_have_no_penalty(estimator, described, expected, played):
    model = played.models[0]
    assert has_no_penalty(replace(model, estimator=estimator, described=described)) is expected


def test_a_column_that_many_lack_is_named():
    patchy = table()
    patchy.loc[:11, "more1"] = np.nan  # 12 of 40
    patchy.loc[:7, "more2"] = np.nan  # 8 of 40 are not more than a fifth
    analysis = analysis_of("ridge", table=patchy)
    assert analysis.sample.gaps == {"more1": 12}
    (remark,) = found_in(analysis, "gaps")
    assert remark.text == (
        "'more1' is missing in 12 of 40 patients (30%). Results and their intervals are those of "
        "patients with as many gaps. If who has a value depends on the outcome, as with a test "
        "ordered only for the ill, they do not hold for new patients."
    )
    assert remark.ways == (("In that case,", Drop(("more1",))),)
    rows = dict(flow_rows(analysis.sample, "40"))
    assert rows["With missing values"] == (
        "12 (20 values, 8.3% of all, imputed within every training set)"
    )
    assert not found_in(analysis_of("ridge", table=patchy, missing="drop"), "gaps")
    assert not found_in(analysis_of("ridge", table=patchy, drop=("more1",)), "gaps")


def test_several_columns_that_many_lack():
    patchy = table()
    patchy.loc[:11, "more1"] = np.nan
    patchy.loc[20:, "more0"] = np.nan
    (remark,) = found_in(analysis_of("ridge", table=patchy), "gaps")
    assert remark.text.startswith(
        "'more0' and 'more1' are each missing in more than 20% of the patients, up to 50%. Results "
    )


@pytest.mark.parametrize(
    ("gaps", "fault"),
    [
        ({"nobody": 12}, "'sample.gaps.nobody' is 'nobody', but it is not among the features"),
        ({"more1": 13}, "'sample.gaps.more1' is 13, but it is more than a fifth of the rows"),
        ({"more1": 8}, "'sample.gaps.more1' is 8, but it is more than a fifth of the rows"),
        ({"more1": 11}, "'sample.gaps.more1' is 11, but it must be 12: as the baseline table"),
    ],
)
def test_gaps_of_an_edited_analysis_are_refused(gaps, fault):
    patchy = table()
    patchy.loc[:11, "more1"] = np.nan
    found = json.loads(json_of(analysis_of("ridge", table=patchy)))
    found["sample"]["gaps"] = gaps
    assert find_fault(found).startswith(fault)


def test_an_analysis_without_gaps_is_read():
    """As it was written before columns with gaps were named."""
    patchy = table()
    patchy.loc[:11, "more1"] = np.nan
    found = json.loads(json_of(analysis_of("ridge", table=patchy)))
    del found["sample"]["gaps"]
    assert find_fault(found) is None
