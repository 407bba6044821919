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
