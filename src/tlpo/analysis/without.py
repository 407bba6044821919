"""The AUC of a model without each feature: what a column adds to the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tlpo.analysis.models import MODELS, Model, ModelRun, make_model, make_runs
from tlpo.analysis.options import Options
from tlpo.analysis.shapes import Model as Judged
from tlpo.analysis.shapes import Without, WithoutEach
from tlpo.errors import WordedError
from tlpo.schemes.leave_pair_out import play_opposite_pairs
from tlpo.tables.build_sample import Sample
from tlpo.tables.leakage import single_aucs

# Games that an engine plays in about a second or two, and columns that a reader looks at. Of more,
# those are left out that have the highest AUC alone; models of other engines are not asked.
MOST_GAMES = {
    "bayes": 300_000,
    "discriminant": 1_000_000,
    "least-squares": 3_000_000,
    "logistic": 150_000,
    "neighbors": 300_000,
}
# Models whose games take that many times longer than others of their engine.
LONGER = {"logistic-cv": 20}
MOST_COLUMNS = 20
# With more coefficients than this, a game takes longer, by their square.
FEW_COEFFICIENTS = 12
# Games that the engine left to refitting.
MOST_FITS = 30


def leave_out_each(
    sample: Sample, runs: Sequence[ModelRun], judged: Sequence[Judged], options: Options
) -> WithoutEach | None:
    """Play the best model without each feature, if that is quick."""
    best = int(np.argmax([model.headline.auc or 0.0 for model in judged]))
    model = runs[best].model
    name = model.name.partition(":")[0]
    most = MOST_GAMES.get(judged[best].engine, 0) if judged[best].fits <= MOST_FITS else 0
    most //= LONGER.get(name, 1)
    auc, features = judged[best].headline.auc, [str(name) for name in sample.X.columns]
    if auc is None or name not in MODELS or options.sorts or options.rounds or len(features) < 2:
        return None
    alone = single_aucs(sample.X, sample.labels.is_positive)
    n_games = sample.labels.n_positive * sample.labels.n_negative
    longer = max(1.0, (sample.n_coefficients / FEW_COEFFICIENTS) ** 2)
    # The column that tells most alone is tried in any case, if one of few would be.
    n_tried = max(int(most / longer) // n_games, min(most // n_games, 1))
    tried = np.argsort(-alone, kind="stable")[: min(n_tried, MOST_COLUMNS)]
    rows = [
        Without(features[k], found)
        for k in tried.tolist()
        if (found := _auc_without(features[k], sample, model, options)) is not None
    ]
    if not rows:
        return None
    rows.sort(key=lambda row: row.auc)
    return WithoutEach(model.name, auc, len(features), rows)


def _auc_without(feature: str, sample: Sample, model: Model, options: Options) -> float | None:
    """Return the AUC without a feature; None if a model of the others cannot be fitted."""
    others = replace(
        sample,
        X=sample.X.drop(columns=feature),
        numeric=[name for name in sample.numeric if name != feature],
        categorical=[name for name in sample.categorical if name != feature],
        levels={name: found for name, found in sample.levels.items() if name != feature},
    )
    quiet = replace(options, progress=False)
    ((_, other),) = make_runs(others, [make_model(model.name, others)], quiet, predictions=False)
    if not other.has_exact_engine:
        return None
    try:
        return float(play_opposite_pairs(other).auc)
    except WordedError:
        return None
