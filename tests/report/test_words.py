import numpy as np
import pandas as pd

from report.commands import run
from report.summaries import SUMMARIES, summary_of
from report.tables import patients
from tlpo.report.render import to_html, to_markdown


def test_the_words_fit_the_rows():
    """Rows of a table are patients, unless a column says which rows belong together."""
    summary = SUMMARIES["one model"]()
    assert summary["title"] == "Predicting outcome (patients.csv): how well does rls discriminate?"
    page = to_html(summary)
    assert "14 patients" in page
    assert " unit" not in summary["methods"] + " ".join(summary["warnings"])
    groups = SUMMARIES["groups"]()
    title = "Predicting outcome (patients.csv): how well do the models discriminate?"
    assert groups["title"] == title
    assert "19 rows" in to_html(groups)
    assert "a random row with outcome 'yes'" in groups["models"][0]["sentence"]
    for text in (page, to_html(groups), to_markdown(groups)):
        assert "--" not in text.split("</style>")[-1].replace(" --- ", "").replace("---", "")


def test_a_forest_that_is_shared_is_said():
    summary = summary_of("rls", "forest:n_estimators=5")
    assert [model["engine"] for model in summary["models"]] == ["least-squares", "forest"]
    assert (
        " won. For forest:n_estimators=5 these models share members: one larger ensemble was "
        "grown, and each pair was compared by the members whose bootstrap sample contained neither "
        "patient, which has the same distribution as refitting. The AUC is "
    ) in summary["methods"]
    (note,) = summary["models"][1]["notes"]
    assert note.startswith("One forest of ")
    assert "share members" not in SUMMARIES["one model"]()["methods"]


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


def test_a_positive_label_by_chance_of_the_alphabet_is_said(tmp_path):
    frame = patients(12).assign(outcome=np.where(np.arange(12) % 2, "relapse", "free"))
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = run(
        *("run", "t.csv", "--target", "outcome", "--model", "rls", "--drop", "site"),
        *("--quiet", "--n-jobs", "1"),
        cwd=tmp_path,
    )
    assert (
        "'relapse' counts as positive only because it follows 'free' in the alphabet."
        in " ".join(result.stdout.split())
    )


def test_rows_that_repeat_are_said(tmp_path):
    frame = pd.concat([patients(12), patients(12)])
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = run(
        *("run", "t.csv", "--target", "outcome", "--model", "rls", "--drop", "site"),
        *("--quiet", "--n-jobs", "1"),
        cwd=tmp_path,
    )
    assert "12 rows have the same features as an earlier row." in " ".join(result.stdout.split())
