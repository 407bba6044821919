"""The AUC of a model without each feature: what a column adds to the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tlpo.analysis.models import MODELS, Model, ModelRun, make_model, make_runs
from tlpo.analysis.options import Options
from tlpo.analysis.sample_caveats import LEAKS
from tlpo.analysis.shapes import Model as Judged
from tlpo.analysis.shapes import OrderedModel, Questioned, Together, Without, WithoutEach
from tlpo.errors import WordedError
from tlpo.games.contest import Contest
from tlpo.games.schedule import Schedule
from tlpo.problem.outcome import Classes, Ordered, TimeToEvent
from tlpo.schemes.leave_pair_out import play_opposite_pairs
from tlpo.schemes.ordered_games import describe_ordered
from tlpo.tables.build_sample import Sample, is_upper_half
from tlpo.tables.leakage import single_aucs
from tlpo.tables.survival import find_time_column

# Columns that a reader looks at. Of more, or where all would take long, those are left out that
# predict best alone.
MOST_COLUMNS = 20
# With more coefficients than this, a game takes longer, by their square.
FEW_COEFFICIENTS = 12
# Games that the engine left to refitting.
MOST_FITS = 30
# Two of so few columns always carry much.
LEAST_FOR_TWO = 4
# Why it was not done.
FEWER_GAMES = "not every pair was compared"
OWN = "the model is none of those that tlpo can make anew"
TOO_LONG = "that would take too long with this model and so many {units}"


def leave_out_each(
    sample: Sample, runs: Sequence[ModelRun], judged: Sequence[Judged | OrderedModel], o: Options
) -> WithoutEach | str | None:
    """Play the best model without each feature, and without two, if that is quick.

    Returns
    -------
    WithoutEach, str or None
        A clause that says why not; None if there is nothing to leave out.
    """
    estimates = [estimate_of(model) for model in judged]
    best = int(np.argmax([estimate or 0.0 for estimate in estimates]))
    (model, contest), found, estimate = runs[best], judged[best], estimates[best]
    features = [str(name) for name in sample.X.columns]
    if estimate is None or len(features) < 2:
        return None
    if o.sorts or o.rounds:
        return FEWER_GAMES
    if model.name.partition(":")[0] not in MODELS:
        return OWN
    outcome = sample.outcome
    if isinstance(outcome, Classes):
        is_upper, n_games = outcome.is_positive, outcome.n_positive * outcome.n_negative
    else:
        assert isinstance(found, OrderedModel)
        assert isinstance(outcome, Ordered | TimeToEvent)
        is_upper, n_games = is_upper_half(outcome), found.n_ordered
    most = contest.quick_games if found.fits <= MOST_FITS else 0
    longer = max(1.0, (sample.n_coefficients / FEW_COEFFICIENTS) ** 2)
    # The column that tells most alone is tried in any case, if one of few would be.
    n_tried = max(int(most / longer) // n_games, min(most // n_games, 1))
    alone = np.argsort(-single_aucs(sample.X, is_upper), kind="stable").tolist()
    rows = []
    for k in alone[: min(n_tried, MOST_COLUMNS)]:
        without = _estimate_without([features[k]], sample, model, o)
        if without is not None:
            rows.append(Without(features[k], without))
    if not rows:
        return TOO_LONG
    together, two = None, [row.feature for row in rows[:2]]
    if len(rows) > 1 and len(features) >= LEAST_FOR_TWO:
        without = _estimate_without(two, sample, model, o)
        together = None if without is None else Together(two, without)
    questioned, asked = None, _asked_about(sample)
    if asked and len(asked) < len(features):
        known = [row.estimate for row in rows if [row.feature] == asked]
        without = known[0] if known else _estimate_without(asked, sample, model, o)
        questioned = None if without is None else Questioned(asked, without)
    rows.sort(key=lambda row: row.estimate)
    return WithoutEach(model.name, estimate, len(features), rows, together, questioned)


def estimate_of(model: Judged | OrderedModel) -> float | None:
    """Return the AUC of a model, or its concordance."""
    return model.concordance if isinstance(model, OrderedModel) else model.headline.auc


def _asked_about(sample: Sample) -> list[str]:
    """Return the features that the answer asks about because they may tell the outcome."""
    suspected = {str(one["column"]) for one in sample.suspects if one["kind"] in LEAKS}
    time = None
    if isinstance(sample.outcome, Classes):
        columns = [*sample.numeric, *sample.left_out]
        time = find_time_column(columns, sample.target, suspected)
    return [str(name) for name in sample.X.columns if name in suspected or name == time]


def _estimate_without(
    features: list[str], sample: Sample, model: Model, options: Options
) -> float | None:
    """Return the estimate without features; None if a model of the others cannot be fitted."""
    others = replace(
        sample,
        X=sample.X.drop(columns=features),
        numeric=[name for name in sample.numeric if name not in features],
        categorical=[name for name in sample.categorical if name not in features],
        levels={name: found for name, found in sample.levels.items() if name not in features},
    )
    quiet = replace(options, progress=False)
    ((_, other),) = make_runs(others, [make_model(model.name, others)], quiet, predictions=False)
    if not other.has_exact_engine:
        return None
    try:
        return _play(other)
    except WordedError:
        return None


def _play(contest: Contest) -> float:
    if isinstance(contest.outcome, Classes):
        return float(play_opposite_pairs(contest).auc)
    return float(describe_ordered(contest, contest.play(Schedule("ordered"))).concordance)
