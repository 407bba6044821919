"""The page from Python, without the table."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import oracles
import tlpo
from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.load import load_analysis


@pytest.fixture(scope="module")
def played():
    X, y = oracles.blobs(m=20)
    return tlpo.tournament(tlpo.RLS(), X, y), tlpo.tournament(LogisticRegression(), X, y)


def test_it_writes_what_the_results_say(played, tmp_path):
    paths = [tmp_path / name for name in ("r.html", "r.json", "r.md")]
    analysis = tlpo.report(list(played), *paths, names=["ridge", "logistic"], unit="mouse/mice")
    assert [model.headline.auc for model in analysis.models] == [t.auc for t in played]
    found = analysis.models[0].headline
    assert (found.low, found.high) == pytest.approx(tuple(played[0].auc_interval()))
    assert load_analysis(str(paths[1])) == analysis
    page = paths[0].read_text()
    assert "20 mice" in page
    assert "If you report only the best" in page
    # What only a table could tell is not there.
    for words in ("Rows read", "Baseline table", "neither coefficients", "own score"):
        assert words not in page
    assert "ridge" in paths[2].read_text()


def test_one_result_with_groups_and_rounds(tmp_path):
    X, y = oracles.blobs(m=24)
    grouped = tlpo.tournament(tlpo.RLS(), X, y, groups=np.arange(24) // 2)
    assert tlpo.report(grouped).sample.n_groups == 12
    some = tlpo.tournament(tlpo.RLS(), X, y, rounds=11, random_state=0)
    analysis = tlpo.report(some, tmp_path / "r.html")
    assert analysis.rounds == 11
    assert any("met 11 of 23 others" in remark.text for remark in remarks_on(analysis))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda a, b: tlpo.report([]), "You passed no results"),
        (lambda a, b: tlpo.report([0.8]), "You passed float"),
        (lambda a, b: tlpo.report([a, a]), "needs a name of its own"),
        (lambda a, b: tlpo.report([a, b], names=["x"]), "called x"),
        (
            lambda a, b: tlpo.report(
                tlpo.concordance(tlpo.RLS(), [[1], [2], [3], [5], [4], [6]], range(6)), smooth=True
            ),
            "A smoothed ROC curve needs two classes.\nYou passed smooth=True and a result of "
            "Concordance.",
        ),
        (lambda a, b: tlpo.report(a, "r.doc"), "You passed 'r.doc'"),
        (lambda a, b: tlpo.report(a, "r.html", "s.docx"), "each kind is written once"),
        (lambda a, b: tlpo.report(a, "r.html", "s.pdf"), "each kind is written once"),
        (lambda a, b: tlpo.report(a, "."), "You passed '.'"),
    ],
)
def test_what_cannot_be_is_refused(make, message, played, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(tlpo.InputError, match=message):
        make(*played)
    assert list(tmp_path.iterdir()) == []
