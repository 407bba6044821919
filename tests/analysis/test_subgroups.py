import numpy as np
import pandas as pd
import pytest

import tlpo
from analysis.analyses import ANALYSES
from tables import patients
from tlpo.analysis.models import make_model
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.markdown import to_markdown
from tlpo.document.narrative import sentence
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification


@pytest.mark.exhaustive
def test_aucs_of_subgroups_are_those_of_the_tournament():
    analysis = ANALYSES["subgroups"]()
    table = patients(24)
    rows = analysis.models[1].subgroups
    assert [(row.by, row.subgroup) for row in rows] == [
        *(("site", "north"), ("site", "south"), ("smoker", "False"), ("smoker", "other (1 level)")),
    ]
    sample = build_sample(table, Specification("outcome"))
    model = make_model("bayes", sample)
    t = tlpo.tournament(model.estimator, sample.X, sample.y, positive="yes")
    found = t.by(table["site"])
    for row, name in zip(rows[:2], ("north", "south"), strict=True):
        for key in ("auc", "low", "high"):
            assert getattr(row, key) == pytest.approx(found.loc[name, key], nan_ok=True)
    document = make_document(analysis)
    page = to_html(document)
    assert "site: north" in page
    assert "24 lesions" in page
    (_, of_bayes) = to_markdown(document).split("AUC of bayes within subgroups")
    assert "| site: south |" in of_bayes
    test = analysis.models[0].permutation
    assert (test.n, test.exchanged) == (19, "lesions")
    assert "Permutation test of any signal: p " in sentence(analysis.models[0], analysis)


def test_a_row_without_a_subgroup_has_none():
    table = patients(12)
    table["arm"] = pd.Series([1.0, 2.0, np.nan] * 4)
    sample = build_sample(table, Specification("outcome", by=("arm",)))
    assert sample.by["arm"] == ["1", "2", None] * 4


def test_columns_that_divide_nothing_are_refused():
    for name, count in (("marker", "12: "), ("clinic", "1: 'A'")):
        with pytest.raises(tlpo.InputError) as caught:
            build_sample(patients(12), Specification("outcome", by=(name,)))
        problem, passed, remedy = str(caught.value).splitlines()
        assert problem == "Subgroups need a column with 2 to 10 different values."
        assert passed.startswith(f"You passed by=['{name}'], which has {count}")
        assert remedy == "Choose another column, or cut its numbers into ranges in the table first."
    with pytest.raises(tlpo.InputError, match="There is no such column"):
        build_sample(patients(12), Specification("outcome", by=("sexe",)))
