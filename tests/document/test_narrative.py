import re

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import tlpo
from analysis.analyses import ANALYSES, analysis_of
from commands.running import command, run
from tables import patients
from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.shapes import Limits
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.markdown import to_markdown
from tlpo.document.narrative import methods, sentence, title
from tlpo.document.parts import say_slope
from tlpo.document.terminal import print_document


def remarks(analysis):
    return [remark.worded() for remark in remarks_on(analysis)]


def page_of(analysis):
    return to_html(make_document(analysis))


def test_the_words_fit_the_rows():
    """Rows of a table are patients, unless a column says which rows belong together."""
    analysis = ANALYSES["one model"]()
    assert title(analysis) == "Predicting outcome (patients.csv): how well does rls discriminate?"
    page = page_of(analysis)
    assert "14 patients" in page
    assert " unit" not in methods(analysis) + " ".join(remarks(analysis))
    groups = ANALYSES["groups"]()
    asked = "Predicting outcome (patients.csv): how well do the models discriminate?"
    assert title(groups) == asked
    assert "19 rows" in page_of(groups)
    assert "a random row with outcome 'yes'" in sentence(groups.models[0], groups)
    for text in (page, page_of(groups), to_markdown(make_document(groups))):
        assert "--" not in text.split("</style>")[-1].replace(" --- ", "").replace("---", "")


def test_a_forest_that_is_shared_is_said():
    analysis = analysis_of("rls", "forest:n_estimators=5")
    assert [model.engine for model in analysis.models] == ["least-squares", "forest"]
    assert (
        " won. For forest:n_estimators=5 these models share members: one larger ensemble was "
        "grown, and each pair was compared by the members whose bootstrap sample contained neither "
        "patient, which has the same distribution as refitting. The AUC is "
    ) in methods(analysis)
    (note,) = analysis.models[1].notes
    assert note.startswith("One forest of ")
    assert "share members" not in methods(ANALYSES["one model"]())


@pytest.mark.parametrize("name", ["one model", "groups", "probabilities"])
def test_limits_of_the_sensitivity_follow_the_rule_of_the_methods(name):
    """They are the roots of ``(p̂ − p)² = q² φ c p(1 − p)/n``, c being the factor of the text."""
    analysis = ANALYSES[name]()
    said = re.search(
        r"at a specificity of at least 0\.9; its limits are Wilson's, the binomial variance "
        r"multiplied by the same inflation and by ([\d.]+), because the cut-off was chosen on "
        rf"these {analysis.units}\.",
        methods(analysis),
    )
    for model in analysis.models:
        interval, (at,) = model.interval, model.sensitivity_at
        q = scipy.stats.t.ppf(0.5 + interval.level / 2, interval.degrees_of_freedom)
        k = q**2 * interval.phi * float(said[1]) / analysis.n_positive
        low, high = np.roots([1 + k, -(2 * at.sensitivity + k), at.sensitivity**2])[::-1]
        assert (at.low, at.high) == pytest.approx((low, high), abs=1e-9)


def test_the_answer_names_the_cutoff_of_the_table(capsys):
    analysis = ANALYSES["groups"]()
    document = make_document(analysis)
    print_document(document)
    printed, page = " ".join(capsys.readouterr().out.split()), to_html(document)
    named = re.findall(
        r"of at least 0\.9 \(((?:probability|score) > -?[\d.]+)\) its sensitivity is", printed
    )
    for model, said in zip(analysis.models, named, strict=True):
        at = page.index(f"Operating points of {model.name}")
        row = page[page.index(f"A new {analysis.unit} is positive if", at) :]
        assert re.search(r"<td[^>]*>(.*?)</td>", row)[1].replace("&gt;", ">") == said


@pytest.mark.exhaustive
def test_warnings_a_statistician_would_give(tmp_path):
    frame = patients(14)
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = run(
        *("run", "t.csv", "--target", "outcome", "--features", "marker", "age"),
        *("--model", "rls", "--model", "constant", "--model", "idknn", "--n-jobs", "1"),
        cwd=tmp_path,
    )
    text = " ".join(result.stdout.split())
    assert "The smaller class has only 7 patients" in text
    assert "constant: 91 of 91 comparisons are ties" in text
    assert "3 models were tried" in text


@pytest.mark.exhaustive
def test_a_positive_label_by_chance_of_the_alphabet_is_said(tmp_path):
    frame = patients(12).assign(outcome=np.where(np.arange(12) % 2, "green", "blue"))
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = run(
        *("run", "t.csv", "--target", "outcome", "--model", "rls", "--drop", "site"),
        *("--quiet", "--n-jobs", "1"),
        cwd=tmp_path,
    )
    assert (
        "'green' counts as positive only because it follows 'blue' in the alphabet. If that is the "
        "wrong way round, run the analysis again with --positive blue."
        in " ".join(result.stdout.split())
    )


@pytest.mark.exhaustive
def test_rows_that_repeat_are_said(tmp_path):
    frame = pd.concat([patients(12), patients(12)])
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = run(
        *("run", "t.csv", "--target", "outcome", "--model", "rls", "--drop", "site"),
        *("--quiet", "--n-jobs", "1"),
        cwd=tmp_path,
    )
    assert "12 rows have the same features as an earlier row" in " ".join(result.stdout.split())


def test_what_was_not_played_is_said():
    rounds, sorts = ANALYSES["rounds"](), ANALYSES["sorts"]()
    assert any("each patient met 10 of 13 others" in text for text in remarks(rounds))
    text = methods(rounds)
    assert "for each of these 70 pairs of patients, a model was trained" in text
    assert "twice that of independent scores, plus that of the draw of pairs" in text
    assert "ξ" not in text
    (first, _) = rounds.models
    assert (first.consistency, first.games) == (None, None)
    assert first.headline.low < first.headline.auc < first.headline.high
    note = next(row.note for row in first.schemes if row.scheme == "tlpo")
    assert note.endswith("because few pairs met")
    assert any("the patients were sorted 2 times" in text for text in remarks(sorts))
    assert "sorted 2 times by quicksort" in methods(sorts)
    assert "interval" not in methods(sorts)
    assert "(the AUC; no interval)" in sentence(sorts.models[0], sorts)
    assert sorts.comparisons == []
    assert remarks(sorts)[-1].endswith("report all of them.")


def test_sorts_and_rounds_are_those_of_the_library():
    frame = patients(14)
    X, y = frame[["age", "marker", "smoker"]].to_numpy(float), frame["outcome"]
    t = tlpo.tournament(tlpo.RLS(), X, y, rounds=10, random_state=0)
    sorts = tlpo.quicksort(tlpo.RLS(), X, y, n_sorts=2, random_state=0)
    found = ANALYSES["rounds"]().models[0]
    assert found.headline.auc == t.auc
    assert (found.headline.low, found.headline.high) == tuple(t.auc_interval())
    found = ANALYSES["sorts"]().models[0]
    assert found.headline.auc == sorts.auc
    assert found.scores == sorts.scores.tolist()
    assert found.n_games == sorts.diagnostics.pairs_played


def test_what_needs_all_games_is_refused_before_anything_is_read(tmp_path, monkeypatch, capsys):
    for more, given in (
        (("--by", "sex", "--sorts", "5"), "--by sex and --sorts 5"),
        (("--shard", "1/2", "--journal", "j", "--rounds", "20"), "--shard 1/2 and --rounds 20"),
    ):
        code, out, err = command(
            monkeypatch, capsys, "run", tmp_path / "none.csv", "--target", "y", *more
        )
        assert (code, out) == (2, "")
        assert err == (
            "tlpo: Subgroups and shards need the games of every pair.\n"
            f"You passed {given}.\nLeave out one of the two.\n"
        )


def test_one_is_never_several():
    table = patients(14).drop(columns="site")
    table.loc[13] = table.loc[11]  # one row twice
    table.loc[0, "age"] = np.nan  # one value missing
    analysis = analysis_of("rls", table=table)
    text = page_of(analysis) + to_markdown(make_document(analysis)) + " ".join(remarks(analysis))
    assert "1 row has the same features as an earlier row" in text
    assert "If it belongs to the same patient" in text
    assert "1 value, 1.8% of all, imputed" in text
    shown = re.sub(r"data:image[^\"]+|<style>.*?</style>", "", text, flags=re.DOTALL)
    wrong = r"(?<![\d.,\[])\b1 (?:rows|patients|values|fits|features|times|sorts|groups|columns)\b"
    assert re.findall(wrong, shown) == []


@pytest.mark.parametrize(
    ("estimate", "low", "high", "said"),
    [
        (0.6, 0.3, 0.9, ": probabilities are too extreme."),
        (1.6, 1.1, 2.1, ": probabilities are not extreme enough."),
        (0.9, 0.4, 1.4, ", which agrees with 1."),
        (
            0.9,
            -0.4,
            2.2,
            ". That leaves open whether probabilities are right (1) or tell nothing (0): more "
            "patients are needed to know.",
        ),
    ],
)
def test_what_a_calibration_slope_says(estimate, low, high, said):
    found = say_slope(Limits(estimate, low, high), "patients", 0.95)
    limits = f"{low:.3f} to {high:.3f}".replace("-", "−")
    assert found == f"The calibration slope is {estimate:.3f} (95% interval {limits}){said}"


def test_a_page_has_the_calibration_slope_once_in_words():
    analysis = ANALYSES["probabilities"]()
    (model,) = analysis.models
    text = to_markdown(make_document(analysis))
    assert text.count(say_slope(model.probabilities.slope, "patients", 0.95)) == 1
    assert "can hardly be estimated" not in text
    assert say_slope(Limits(None), "patients", 0.95) == ""
