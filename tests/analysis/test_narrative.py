import re

import numpy as np
import pandas as pd

import tlpo
from analysis.summaries import SUMMARIES, summary_of
from commands.running import command, run
from tables import patients
from tlpo.document.render import to_html, to_markdown


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
    rounds, sorts = SUMMARIES["rounds"](), SUMMARIES["sorts"]()
    assert any("each patient met 10 of 13 others" in text for text in rounds["warnings"])
    assert "for each of these 70 pairs of patients, a model was trained" in rounds["methods"]
    assert "twice that of independent scores, plus that of the draw of pairs" in rounds["methods"]
    assert "ξ" not in rounds["methods"]
    (first, _) = rounds["models"]
    assert (first["consistency"], first["games"]) == (None, None)
    assert first["headline"]["low"] < first["headline"]["auc"] < first["headline"]["high"]
    note = next(row["note"] for row in first["schemes"] if row["scheme"] == "tlpo")
    assert note.endswith("because few pairs met")
    assert any("the patients were sorted 2 times" in text for text in sorts["warnings"])
    assert "sorted 2 times by quicksort" in sorts["methods"]
    assert "interval" not in sorts["methods"]
    assert "(the AUC; no interval)" in sorts["models"][0]["sentence"]
    assert sorts["comparisons"] == []
    assert sorts["warnings"][-1].endswith("report all of them.")


def test_sorts_and_rounds_are_those_of_the_library():
    frame = patients(14)
    X, y = frame[["age", "marker", "smoker"]].to_numpy(float), frame["outcome"]
    t = tlpo.tournament(tlpo.RLS(), X, y, rounds=10, random_state=0)
    sorts = tlpo.quicksort(tlpo.RLS(), X, y, n_sorts=2, random_state=0)
    found = SUMMARIES["rounds"]()["models"][0]
    assert found["headline"]["auc"] == t.auc
    assert (found["headline"]["low"], found["headline"]["high"]) == tuple(t.auc_interval())
    found = SUMMARIES["sorts"]()["models"][0]
    assert found["headline"]["auc"] == sorts.auc
    assert found["scores"] == sorts.scores.tolist()
    assert found["n_games"] == sorts.diagnostics.pairs_played


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
    summary = summary_of("rls", table=table)
    text = to_html(summary) + to_markdown(summary) + " ".join(summary["warnings"])
    assert "1 row has the same features as an earlier row" in text
    assert "If it belongs to the same patient" in text
    assert "1 value, imputed" in text
    shown = re.sub(r"data:image[^\"]+|<style>.*?</style>", "", text, flags=re.DOTALL)
    wrong = r"(?<![\d.,\[])\b1 (?:rows|patients|values|fits|features|times|sorts|groups|columns)\b"
    assert re.findall(wrong, shown) == []
