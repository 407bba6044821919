"""A model fitted on all units, in one file with a card that says where it comes from.

The file is what skops writes, a ZIP archive of arrays and a description of the estimator, with the
card as one more member, ``tlpo.json``. Nothing in it is a pickle: loading builds only objects of
types that are named in the file, and types other than those of scikit-learn, NumPy and tlpo are
refused. The card has a digest of every member, so that damage and careless edits are found; against
careful ones, `tlpo.analysis.unsound` looks at what would crash, and the model must predict what it
did when it was saved.
"""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Sequence
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
from tlpo.analysis.json_values import say_misfit
from tlpo.analysis.models import Model, describe_error
from tlpo.analysis.options import Options
from tlpo.analysis.shapes import Card, CategoricalColumn, ModelAnalysis
from tlpo.analysis.unsound import find_unsound_fit, find_unsound_parts
from tlpo.arrays import FloatArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.execution.replace import replacing
from tlpo.games.response import fits_numbers, probability_link, respond, response_method
from tlpo.results.tournament import Tournament
from tlpo.tables.build_sample import Sample
from tlpo.tables.levels import RARE, pool_others
from tlpo.tables.read import require_file

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 3
CARD, SCHEMA = "tlpo.json", "schema.json"
# Types that skops does not trust by itself, and that the models known by name consist of. What
# those in compiled code hold is checked in `tlpo.analysis.unsound`: one more here needs one there.
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
    t: Tournament,
    analysis: ModelAnalysis,
    options: Options,
) -> list[str]:
    """Fit a model on all units, and write it with its card.

    Returns
    -------
    list of str
        What the user should know about the file.
    """
    io_of_skops = require_skops()
    labels = sample.labels
    targets = np.where(labels.is_positive, 1.0, -1.0) if fits_numbers(model.estimator) else sample.y
    fitted = clone(model.estimator).fit(model.features(sample), targets)
    content = io.BytesIO(io_of_skops.dumps(fitted))
    refused = _untrusted(content.getvalue())
    if refused:
        raise InputError(
            explain(
                "The model cannot be saved in a form that is safe to load.",
                f"You passed {model.name!r}, which holds objects of type "
                f"{enumerate_briefly(refused)}.",
                "Use a model known by name ('tlpo models'), or one made of scikit-learn alone.",
            )
        )
    card = make_card(model, sample, t, analysis, options)
    card = replace(card, trial=score(fitted, card, trial_rows(card)).tolist())
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


def load_model(path: str) -> tuple[Any, Card]:
    """Return the estimator and its card; refuse whatever tlpo did not write, or would not trust.

    Before anything is built, the archive must be whole and hold what its card lists; then card,
    types and trees are checked. Of the estimator that is built, the parts must fit together, and
    it must predict what it did when it was saved.
    """
    io_of_skops = require_skops()
    content = require_file(path).read_bytes()
    with _open(content, path) as archive:
        card = _read_card(archive, path)
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


def score(fitted: Any, card: Card, X: pd.DataFrame) -> FloatArray:
    """Return the model's own score of units, larger meaning more positive."""
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


def _features(card: Card, X: pd.DataFrame) -> Any:
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


def _read_card(archive: zipfile.ZipFile, path: str) -> Card:
    """Return the card of an archive that holds exactly what the card says."""
    names = archive.namelist()
    if CARD not in names:
        raise _refusal("was not written by tlpo: it holds no card", path)
    content = archive.read(CARD)
    try:
        version = msgspec.json.decode(content, type=dict).get("format")
    except (ValueError, RecursionError) as error:
        raise _refusal("has a card that was changed or cut off", path) from error
    if version in range(1, FORMAT):
        raise _refusal(
            f"is of format {version}, which an earlier tlpo wrote; this one reads {FORMAT}",
            path,
            "Save the model again with this version.",
        )
    if version != FORMAT:
        raise _refusal(f"has a card of format {version!r}; this tlpo reads {FORMAT}", path)
    try:
        card = msgspec.json.decode(content, type=Card)
    except msgspec.ValidationError as error:
        raise _refusal(f"has a card that was changed: {say_misfit(error)}", path) from error
    changed = _changed(archive, names, card)
    if changed:
        raise _refusal(f"was changed after it was saved: {enumerate_briefly(changed)}", path)
    fault = find_card_fault(card)
    if fault is not None:
        raise _refusal(f"has a card that was changed: {fault}", path)
    return card


def _changed(archive: zipfile.ZipFile, names: Sequence[str], card: Card) -> list[str]:
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


def _why_other(fitted: Any, card: Card) -> str | None:
    """Return why a model is not the one that the card is about, or None."""
    rows = trial_rows(card)
    try:
        _calm(fitted)
        if is_classifier(fitted):
            names = sorted({str(name) for name in fitted.classes_})
            if names != sorted((card.negative, card.positive)):
                return f"its labels are {enumerate_briefly(names)}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = score(fitted, card, rows)
            if not isinstance(probability_link(fitted), str):
                probability(fitted, card, rows)
    except Exception as error:  # whatever an estimator of such parts raises
        return f"it predicts nothing ({describe_error(error)})"
    expected = np.array(card.trial, dtype=float)
    if found.shape != expected.shape or not np.allclose(found, expected, rtol=_SAME, atol=_SAME):
        return "it predicts other scores than when it was saved"
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
