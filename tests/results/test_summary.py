import numpy as np
from sklearn.linear_model import LogisticRegression

import oracles
import tlpo


def test_notebook_html_is_escaped():
    X, y = oracles.blobs(m=8)
    nasty = np.where(y == 1, "<script>alert(1)</script>", "&amp")
    shown = tlpo.tournament(LogisticRegression(), X, nasty)._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "&amp;amp" in shown


def test_names_of_several_classes_are_escaped():
    X, _ = oracles.blobs(m=12)
    nasty = np.array(["<script>alert(1)</script>", "&amp", "b"])[np.arange(12) % 3]
    k = tlpo.multiclass(LogisticRegression(), X, nasty)
    scores = np.eye(3)[np.arange(12) % 3]
    for result in (k, k.one_vs_rest["&amp"], k.auc_interval(), tlpo.assess(scores, nasty)):
        shown = result._repr_html_()
        assert "<table>" in shown
        assert "<script>" not in shown
    assert "&lt;script&gt;" in k._repr_html_()
