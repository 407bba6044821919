import numpy as np
import pytest
from sklearn.linear_model import Ridge

import oracles
import tlpo


@pytest.mark.parametrize(
    ("call", "word", "ours"),
    [
        (lambda X, y: tlpo.tournament(Ridge(), X, y, pos_label=1), "pos_label=1", "positive=1"),
        (lambda X, y: tlpo.kfold(Ridge(), X, y, cv=5), "cv=5", "n_splits=5"),
        (lambda X, y: tlpo.tournament(Ridge(), X, y).auc_interval(alpha=0.1), "alpha", "=0.9"),
        (
            lambda X, y: tlpo.tournament(Ridge(), X, y).partial_auc(max_fpr=0.25),
            "max_fpr=0.25",
            r"specificity=\(0.75, 1\), and corrected=True",
        ),
        (
            lambda X, y: tlpo.leave_one_out(Ridge(), X, y, sample_weight=np.ones(200)),
            "sample_weight=array.*…",
            "params={'sample_weight': …}",
        ),
        (
            lambda X, _: tlpo.multiclass(Ridge(), X, np.arange(12) % 3, fit_params={}),
            "fit_params={}",
            "params",
        ),
        (
            lambda X, _: tlpo.multiclass(Ridge(), X, np.arange(12) % 3).auc_interval(alpha=0.1),
            "alpha",
            "=0.9",
        ),
        (
            lambda X, _: tlpo.multiclass(Ridge(), X, np.arange(12) % 3).pair_intervals(level=0.9),
            "level=0.9",
            "confidence_level=0.9",
        ),
    ],
)
def test_words_of_other_libraries_are_answered(call, word, ours):
    X, y = oracles.blobs(m=12)
    with pytest.raises(TypeError, match=rf"(?s)You passed {word}.*\nPass .*{ours}"):
        call(X, y)


def test_other_words_get_the_message_of_python():
    X, y = oracles.blobs(m=12)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        tlpo.tournament(Ridge(), X, y, colour="red")
    # A word that others use, where ours does not exist either.
    with pytest.raises(TypeError, match="unexpected keyword argument 'max_fpr'"):
        tlpo.tournament(Ridge(), X, y, max_fpr=0.2)


def test_a_word_of_the_function_itself_is_taken():
    X, y = oracles.blobs(m=12)
    groups = np.arange(12) // 2
    assert tlpo.tournament(Ridge(), X, y, groups=groups).groups is not None
