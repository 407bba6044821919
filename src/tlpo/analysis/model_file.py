"""A model fitted on all units, in one file with a card that says where it comes from.

The file is what skops writes, a ZIP archive of arrays and a description of the estimator, with the
card as one more member, ``tlpo.json``. Nothing in it is a pickle: loading builds only objects of
types that are named in the file, and types other than those of scikit-learn, NumPy and tlpo, and a
few of scikit-survival, are refused. The card has a digest of every member, so that damage and
careless edits are found; against careful ones, `tlpo.analysis.crash_checks` looks at what would
crash, and the model must predict what it did when it was saved.
"""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from msgspec.structs import replace
from sklearn.base import clone, is_classifier

from tlpo.analysis.card import (
    card_digest,
    digest_of,
    find_card_fault,
    make_card,
    trial_rows,
)
from tlpo.analysis.crash_checks import find_unsound_fit, find_unsound_parts
from tlpo.analysis.json_values import say_misfit
from tlpo.analysis.models import Model, describe_error
from tlpo.analysis.options import Options
from tlpo.analysis.predicted_survival import predict_survival, why_no_survival
from tlpo.analysis.shapes import (
    AnyCard,
    Card,
    CategoricalColumn,
    ModelAnalysis,
    SurvivalAnalysis,
    SurvivalCard,
)
from tlpo.analysis.survival_card import (
    find_survival_card_fault,
    make_survival_card,
    with_survival,
)
from tlpo.arrays import FloatArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.execution.replace import replacing
from tlpo.games.response import (
    fits_numbers,
    probability_link,
    respond,
    respond_with_risk,
    response_method,
)
from tlpo.results.survival import Survival
from tlpo.results.tournament import Tournament
from tlpo.tables.build_sample import Sample
from tlpo.tables.levels import RARE, pool_others
from tlpo.tables.read import require_file

if TYPE_CHECKING:
    import pandas as pd

# What a card of each format is about.
CARDS: dict[int, type[Card] | type[SurvivalCard]] = {5: Card, 6: SurvivalCard}
CARD, SCHEMA = "tlpo.json", "schema.json"
# Types that skops does not trust by itself, and that the models known by name consist of. What
# those in compiled code hold is checked in `tlpo.analysis.crash_checks`: one more here needs one
# there.
TRUSTED = frozenset(
    {
        "numpy.dtype",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.metrics._dist_metrics.ManhattanDistance64",
        "sklearn.metrics._dist_metrics.MinkowskiDistance64",
        "sklearn.neighbors._ball_tree.BallTree",
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.tree._tree.Tree",
        "tlpo.learners.InverseDistanceKNN",
        "tlpo.learners.RLS",
        "tlpo.learners.cox.Baseline",
        "tlpo.learners.cox.Cox",
        "tlpo.learners.elastic_net.ElasticNetLogisticCV",
        "tlpo.learners.elastic_net.PenaltyPath",
        "sksurv.ensemble.forest.RandomSurvivalForest",
        "sksurv.functions.StepFunction",
        "sksurv.linear_model.coxnet.CoxnetSurvivalAnalysis",
        "sksurv.linear_model.coxph.BreslowEstimator",
        "sksurv.linear_model.coxph.CoxPHSurvivalAnalysis",
        "sksurv.tree.tree.SurvivalTree",
    }
)
# A larger archive is none that tlpo wrote for a small sample.
MOST_BYTES = 2_000_000_000
# How far predictions of another machine may be from those when the model was saved.
_SAME = 1e-6
_KEPT = "Pass a model file that tlpo wrote, complete and unchanged."


def save_model(
    path: Path,
    model: Model,
    sample: Sample,
    result: Tournament | Survival,
    analysis: ModelAnalysis | SurvivalAnalysis,
    options: Options,
) -> list[str]:
    """Fit a model on all units, and write it with its card.

    Parameters
    ----------
    path : Path
        Where to.
    model, sample : Model, Sample
        What to fit, and on whom.
    result : Tournament or Survival
        How the model did in development.
    analysis, options
        The report of that, and what was asked.

    Returns
    -------
    list of str
        What the user should know about the file.
    """
    io_of_skops = require_skops()
    fitted = clone(model.estimator).fit(model.features(sample), _targets(model, sample))
    try:
        content = io.BytesIO(io_of_skops.dumps(fitted))
        refused = _untrusted(content.getvalue())
    except Exception as error:  # whatever skops does not know how to write
        raise _unsavable(model, describe_error(error)) from error
    if refused:
        raise _unsavable(model, f"it holds objects of type {enumerate_briefly(refused)}")
    card: Card | SurvivalCard
    if isinstance(result, Survival):
        assert isinstance(analysis, SurvivalAnalysis)
        card = make_survival_card(model, sample, result, analysis, options)
    else:
        assert isinstance(analysis, ModelAnalysis)
        card = make_card(model, sample, result, analysis, options)
    rows = trial_rows(card)
    card = replace(card, trial=score(fitted, card, rows).tolist())
    if isinstance(card, SurvivalCard) and why_no_survival(fitted) is None:
        card = with_survival(card, fitted, survival(fitted, card, rows, card.times))
    with zipfile.ZipFile(content, "a", zipfile.ZIP_DEFLATED) as archive:
        members = {name: digest_of(archive.read(name)) for name in archive.namelist()}
        card = replace(card, members=members)
        card = replace(card, digest=card_digest(card))
        archive.writestr(CARD, msgspec.json.format(msgspec.json.encode(card), indent=1))
    with replacing(path) as beside:
        beside.write_bytes(content.getvalue())
    notes = []
    if _holds_units(fitted):
        notes.append(f"{path} holds features of {sample.unit}s, as this kind of model needs them.")
    if model.is_own and any(levels.rare for levels in sample.levels.values()):
        notes.append(
            f"{path} may hold categories that fewer than {RARE} {sample.unit}s have: your own "
            "model gets the table as it is."
        )
    return notes


def _targets(model: Model, sample: Sample) -> Any:
    """Return what a model is fitted on."""
    if sample.is_ordered or not fits_numbers(model.estimator):
        return sample.y
    return np.where(sample.labels.is_positive, 1.0, -1.0)


def _unsavable(model: Model, why: str) -> InputError:
    return InputError(
        explain(
            "The model cannot be saved in a form that is safe to load.",
            f"You passed {model.name!r}: {why}.",
            "Use a model known by name ('tlpo models'), or one made of scikit-learn alone.",
        )
    )


def require_no_names(sample: Sample) -> None:
    """Refuse to save models of columns that look like names: encoders hold their levels."""
    names = sample.unlisted
    if names:
        raise InputError(
            explain(
                "The model file would hold values that look like names or free text.",
                f"You passed the columns {enumerate_briefly(names)}.",
                f"Leave them out with {arg('drop', names)} or, if they are categories that may "
                "be passed "
                f"on, say so with {arg('categorical', names)}.",
            )
        )


def load_model(path: str) -> tuple[Any, Card | SurvivalCard]:
    """Return the estimator and its card; refuse whatever tlpo did not write, or would not trust.

    Before anything is built, the archive must be whole and hold what its card lists; then card,
    types and trees are checked. Of the estimator that is built, the parts must fit together, and
    it must predict what it did when it was saved.
    """
    io_of_skops = require_skops()
    content = require_file(path).read_bytes()
    with _open(content, path) as archive:
        card = _read_card(archive, path)
        _require_packages(card)
        try:
            refused = _untrusted(content)
            unsound = find_unsound_parts(archive, json.loads(archive.read(SCHEMA)))
        except Exception as error:  # skops raises anything on what it did not write
            raise _refusal("is damaged: its parts do not fit together", path) from error
    if refused:
        raise InputError(
            explain(
                "The model file holds objects that could run any code, so it was not loaded.",
                f"You passed {path!r} with objects of type {enumerate_briefly(refused)}.",
                "Use a model file that tlpo wrote, from someone you trust.",
            )
        )
    if unsound is not None:
        raise _refusal(f"was changed so that it cannot work: {unsound}", path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other versions, which validation says itself
            fitted = io_of_skops.loads(content, trusted=sorted(TRUSTED))
    except Exception as error:
        raise _refusal(f"cannot be loaded ({describe_error(error)})", path) from error
    unsound = find_unsound_fit(fitted) or _why_other(fitted, card)
    if unsound is not None:
        raise _refusal(f"was changed so that it cannot work: {unsound}", path)
    return fitted, card


def score(fitted: Any, card: Card | SurvivalCard, X: pd.DataFrame) -> FloatArray:
    """Return the model's own score of units, larger meaning more positive, or an earlier event."""
    if isinstance(card, SurvivalCard):
        return respond_with_risk(fitted, _features(card, X))
    names = sorted((card.negative, card.positive))
    labels = (names[0], names[1])
    method = response_method(fitted)
    return respond(fitted, method, _features(card, X), card.positive, labels)


def probability(fitted: Any, card: Card, X: pd.DataFrame) -> FloatArray:
    """Return the model's probability that units are positive."""
    classes = [str(name) for name in fitted.classes_]
    found = np.asarray(fitted.predict_proba(_features(card, X)), dtype=float)
    if found.shape != (len(X), 2) or not ((found >= 0) & (found <= 1)).all():
        raise ValueError("probabilities do not lie between 0 and 1")
    return found[:, classes.index(card.positive)]


def survival(
    fitted: Any, card: SurvivalCard, X: pd.DataFrame, times: Sequence[float]
) -> FloatArray:
    """Return the model's probability that units are without the event at some times."""
    return predict_survival(fitted, _features(card, X), times)


def _features(card: AnyCard, X: pd.DataFrame) -> Any:
    """Return features in the form that the model was fitted on, rare categories pooled."""
    if not card.as_table:
        return X.to_numpy(float)
    X = X.copy(deep=False)
    for column in card.columns:
        if isinstance(column, CategoricalColumn) and column.other is not None:
            values = pool_others(X[column.name].tolist(), column.categories, column.other)
            X[column.name] = np.array(values, dtype=object)
    return X


def require_skops() -> Any:
    """Return ``skops.io``, which comes with the extra ``models``."""
    try:
        import skops.io
    except ImportError as error:
        raise InputError(
            explain(
                "Models are saved and loaded by skops, which is not installed.",
                f"Importing it fails: {error}.",
                "Install it with: pip install 'tlpo[models]'.",
            )
        ) from error
    return skops.io


def _open(content: bytes, path: str) -> zipfile.ZipFile:
    """Open an archive of a reasonable size whose members are undamaged."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        size = sum(member.file_size for member in archive.infolist())
        damaged = archive.testzip() if size <= MOST_BYTES else CARD
    except Exception as error:  # encrypted, of an unknown compression, cut off, no archive at all
        raise _refusal("is no model file, or it is damaged", path) from error
    if damaged is not None:
        raise _refusal("is damaged, or was not written by tlpo", path)
    return archive


def _require_packages(card: Card | SurvivalCard) -> None:
    """Refuse a model of scikit-survival where there is none."""
    if not isinstance(card, SurvivalCard) or card.versions.scikit_survival is None:
        return
    try:
        import_module("sksurv")
    except ImportError as error:
        raise InputError(
            explain(
                "The model is one of scikit-survival, which is not installed.",
                f"You passed the model {card.name!r}, made with scikit-survival "
                f"{card.versions.scikit_survival}.",
                'Install it with: pip install "tlpo[survival]".',
            )
        ) from error


def _read_card(archive: zipfile.ZipFile, path: str) -> Card | SurvivalCard:
    """Return the card of an archive that holds exactly what the card says."""
    names = archive.namelist()
    if CARD not in names:
        raise _refusal("was not written by tlpo: it holds no card", path)
    content = archive.read(CARD)
    try:
        version = msgspec.json.decode(content, type=dict).get("format")
    except (ValueError, RecursionError) as error:
        raise _refusal("has a card that was changed or cut off", path) from error
    known = " and ".join(map(str, CARDS))
    if version in range(1, min(CARDS)):
        raise _refusal(
            f"is of format {version}, which an earlier tlpo wrote; this one reads {known}",
            path,
            "Save the model again with this version.",
        )
    kind = CARDS.get(version) if type(version) is int else None
    if kind is None:
        raise _refusal(f"has a card of format {version!r}; this tlpo reads {known}", path)
    try:
        card = msgspec.json.decode(content, type=kind)
    except msgspec.ValidationError as error:
        raise _refusal(f"has a card that was changed: {say_misfit(error)}", path) from error
    changed = _changed(archive, names, card)
    if changed:
        raise _refusal(f"was changed after it was saved: {enumerate_briefly(changed)}", path)
    if isinstance(card, SurvivalCard):
        fault = find_survival_card_fault(card)
    else:
        fault = find_card_fault(card)
    if fault is not None:
        raise _refusal(f"has a card that was changed: {fault}", path)
    return card


def _changed(archive: zipfile.ZipFile, names: Sequence[str], card: AnyCard) -> list[str]:
    """Return the members that are not what the card says, or not there, or there twice."""
    own = {CARD} if card.digest != card_digest(card) else set()
    listed = card.members
    there = {name: digest_of(archive.read(name)) for name in names if name != CARD}
    differ = {name for name in {*listed, *there} if listed.get(name) != there.get(name)}
    twice = {name for name in names if names.count(name) > 1}
    missing = {SCHEMA} - {*names}
    return sorted(differ | twice | missing | own)


def _untrusted(content: bytes) -> list[str]:
    found = require_skops().get_untrusted_types(data=content)
    return sorted(str(name) for name in found if name not in TRUSTED)


def _why_other(fitted: Any, card: Card | SurvivalCard) -> str | None:
    """Return why a model is not the one that the card is about, or None."""
    rows = trial_rows(card)
    try:
        _calm(fitted)
        if isinstance(card, Card) and is_classifier(fitted):
            names = sorted({str(name) for name in fitted.classes_})
            if names != sorted((card.negative, card.positive)):
                return f"its labels are {enumerate_briefly(names)}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = score(fitted, card, rows)
            if isinstance(card, SurvivalCard):
                other = _why_other_survival(fitted, card, rows)
                if other is not None:
                    return other
            elif not isinstance(probability_link(fitted), str):
                probability(fitted, card, rows)
    except Exception as error:  # whatever an estimator of such parts raises
        return f"it predicts nothing ({describe_error(error)})"
    expected = np.array(card.trial, dtype=float)
    if found.shape != expected.shape or not np.allclose(found, expected, rtol=_SAME, atol=_SAME):
        return "it predicts other scores than when it was saved"
    return None


def _why_other_survival(fitted: Any, card: SurvivalCard, rows: pd.DataFrame) -> str | None:
    if (why_no_survival(fitted) is None) != (card.trial_survival is not None):
        return "it predicts survival, or none, other than when it was saved"
    if card.trial_survival is None:
        return None
    found = survival(fitted, card, rows, card.times)
    if not np.allclose(found, np.array(card.trial_survival), rtol=0.0, atol=_SAME):
        return "it predicts another survival than when it was saved"
    return None


def _calm(fitted: Any) -> None:
    """Let no estimator start processes or print: that was for development, if anything."""
    quiet = {"n_jobs": None, "verbose": 0}
    params = fitted.get_params()
    wanted = {name: quiet.get(name.rpartition("__")[2]) for name in params}
    loud = [name for name in params if name.rpartition("__")[2] in quiet and params[name]]
    fitted.set_params(**{name: wanted[name] for name in loud})


def _holds_units(fitted: Any) -> bool:
    model = fitted.steps[-1][1] if hasattr(fitted, "steps") else fitted
    return any(hasattr(model, name) for name in ("_fit_X", "X_fit_", "support_vectors_", "X_"))


def _refusal(why: str, path: str, remedy: str = _KEPT) -> InputError:
    return InputError(explain(f"The model file {why}.", f"You passed {path!r}.", remedy))
