import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import oracles
import tlpo


def test_folds_without_auc_are_counted_not_hidden():
    X, y = oracles.blobs(m=20, n_positive=3)
    averaged = tlpo.kfold(LogisticRegression(), X, y, pooling="averaged", random_state=0)
    assert averaged.n_without_auc == 7
    assert averaged.auc == pytest.approx(np.nanmean(averaged.fold_aucs))
    assert "10, of which 7 had no AUC" in repr(averaged)
    none = tlpo.kfold(LogisticRegression(), X, y, n_splits=20, pooling="averaged", random_state=0)
    assert none.n_without_auc == 20
    assert np.isnan(none.auc)


def test_spread_of_averages_is_over_defined_folds():
    X, y = oracles.blobs(m=20, n_positive=3)
    result = tlpo.kfold(LogisticRegression(), X, y, n_repeats=4, pooling="averaged", random_state=0)
    by_repeat = [np.mean(aucs[~np.isnan(aucs)]) for aucs in result.fold_aucs]
    assert result.spread == pytest.approx(np.std(by_repeat, ddof=1))
