import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import oracles
import tlpo


def test_frame_keeps_the_names_of_the_units():
    X, y = oracles.blobs(m=8)
    named = pd.DataFrame(X, index=[f"patient {k}" for k in range(8)])
    t = tlpo.tournament(
        LogisticRegression(), named, np.where(y == 1, "ill", "well"), positive="ill"
    )
    frame = t.to_frame()
    assert frame.index[3] == "patient 3"
    assert frame.loc["patient 3", "score"] == t.scores[3]
    assert (frame["label"] == np.where(y == 1, "ill", "well")).all()
    assert frame["rank"].tolist() == rankdata(-t.scores).tolist()
    wins = frame["wins_against_negatives"] + frame["wins_against_positives"]
    assert (wins == frame["score"]).all()
    assert tlpo.tournament(LogisticRegression(), X, y).to_frame().index.name == "unit"


def test_repr_reads_well():
    X, y = oracles.blobs(m=8)
    t = tlpo.tournament(make_pipeline(StandardScaler(), LogisticRegression()), X, y)
    lines = repr(t).splitlines()
    assert lines[0] == "Tournament of 8 units, 4 positive (1) and 4 negative (0)"
    assert lines[1] == "  estimator    StandardScaler → LogisticRegression"
    assert lines[2] == f"  TLPO AUC     {t.auc:.4f}"
    assert lines[3] == f"  LPO AUC      {t.lpo_auc:.4f}"
    assert lines[4].startswith(f"  consistency  ξ = {t.consistency:.3f} (")
    assert lines[5].startswith("  played       28 games, 28 fits, ")
    assert lines[5].endswith("s, engine refit")
