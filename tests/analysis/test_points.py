import numpy as np
import pytest

from analysis.summaries import summary_of
from tables import patients
from tlpo.analysis.json_values import number
from tlpo.analysis.models import enter, make_model
from tlpo.analysis.options import Options
from tlpo.analysis.points import points_at
from tlpo.schemes.tournament import play_tournament
from tlpo.tables.build_sample import understand
from tlpo.tables.options import Question

RATES = ("sensitivity", "specificity", "ppv", "npv")


@pytest.mark.parametrize("prevalence", [0.02, 0.5])
@pytest.mark.parametrize("name", ["rls", "knn"])  # the tournament's curve, and that of ties
def test_points_against_the_tournament(name, prevalence):
    table, options = patients(24).drop(columns="site"), Options(confidence_level=0.9)
    summary = summary_of(name, table=table, options=options)
    sample = understand(table, Question("outcome"))
    (entrant,) = enter(sample, [make_model(name, sample)], options)
    t = play_tournament(entrant.contest)
    assert (t.curve == "tournament") == (name == "rls")
    expected = t.operating_points(prevalence, 0.9)
    found = points_at(summary, summary["models"][0], prevalence)
    assert len(found) == len(expected)
    for point, (_, row) in zip(found, expected.iterrows(), strict=True):
        for rate in RATES:
            source = f"{rate}_at_prevalence" if rate in ("ppv", "npv") else rate
            for end in ("", "_low", "_high"):
                np.testing.assert_allclose(
                    number(point[f"{rate}{end}"]), row[f"{source}{end}"], atol=1e-12
                )
        words = {"score > -inf": "always", "prediction > -inf": "always"}
        said = words.get(row["criterion"], row["criterion"].replace("score", "wins"))
        assert point["criterion"] == said
        for count in ("tp", "fp", "fn", "tn"):
            assert point[count] == (row[count] if name == "rls" else None)
    assert found[-1]["criterion"] == "always"
