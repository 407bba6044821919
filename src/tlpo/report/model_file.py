"""A model fitted on all units, in one file with a card that says where it comes from.

The file is what skops writes, a ZIP archive of arrays and a description of the estimator, with the
card as one more member, ``tlpo.json``. Nothing in it is a pickle: loading builds only objects of
types that are named in the file, and types other than those of scikit-learn, NumPy and tlpo are
refused.
"""

from __future__ import annotations

import io
import json
import platform
import zipfile
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from tlpo.arrays import FloatArray
from tlpo.errors import InputError, enumerate_briefly, explain
from tlpo.report.levels import RARE
from tlpo.report.models import Model
from tlpo.report.options import Options
from tlpo.report.plain import Summary, plain
from tlpo.report.read import require_file
from tlpo.report.replace import replacing
from tlpo.report.understand import Sample
from tlpo.response import fits_signs, respond, response_method
from tlpo.results.intervals import rate_factor
from tlpo.results.tournament import Tournament
from tlpo.roc.pooled import pooled_curve
from tlpo.roc.rates import share_limits

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1
CARD = "tlpo.json"
# Types that skops does not trust by itself, and that the models known by name consist of.
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
_REQUIRED = {
    "format": int,
    "name": str,
    "described": str,
    "target": str,
    "positive": str,
    "negative": str,
    "columns": list,
    "as_table": bool,
    "fills_gaps": bool,
    "auc": dict,
    "cutoffs": list,
    "versions": dict,
    "data": dict,
}


def save_model(
    path: Path, model: Model, sample: Sample, t: Tournament, summary: Summary, options: Options
) -> list[str]:
    """Fit a model on all units, and write it with its card.

    Returns
    -------
    list of str
        What the user should know about the file.
    """
    io_of_skops = require_skops()
    labels = sample.labels
    targets = np.where(labels.is_positive, 1.0, -1.0) if fits_signs(model.estimator) else sample.y
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
    card = plain(make_card(model, sample, t, summary, options))
    with zipfile.ZipFile(content, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(CARD, json.dumps(card, ensure_ascii=False, indent=1))
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
                f"Leave them out with drop={names!r} or, if they are categories that may be passed "
                f"on, say so with categorical={names!r}.",
            )
        )


def make_card(
    model: Model, sample: Sample, t: Tournament, summary: Summary, options: Options
) -> dict[str, Any]:
    """Say what a model is, what it was developed on, and how well it did there."""
    import sklearn

    import tlpo

    interval = t.auc_interval(options.confidence_level)
    return {
        "format": FORMAT,
        "name": model.name,
        "described": model.described,
        "target": sample.question.target,
        "positive": str(sample.labels.positive),
        "negative": str(sample.labels.negative),
        "columns": [_describe_column(sample, name, model.is_own) for name in sample.X.columns],
        "as_table": model.is_own or bool(sample.categorical),
        "fills_gaps": model.is_own or bool(sample.X.isna().to_numpy().any()),
        "auc": {
            "estimate": t.auc,
            "low": interval.low,
            "high": interval.high,
            "level": interval.confidence_level,
            "method": f"leave-pair-out, {interval.method}",
        },
        "cutoffs": find_cutoffs(t, options),
        "data": {
            "source": summary["source"],
            "date": summary["date"],
            "digest": digest(sample.X, sample.labels.is_positive),
            "unit": sample.unit,
            "n_units": sample.labels.n_units,
            "n_positive": sample.labels.n_positive,
            "n_negative": sample.labels.n_negative,
            "rows_read": sample.n_read,
            "excluded_without_outcome": sample.n_without_target,
            "excluded_with_gaps": sample.n_dropped,
            "columns_not_used": [note for note in sample.notes if "not used" in note],
        },
        "versions": {
            "tlpo": tlpo.__version__,
            "scikit-learn": sklearn.__version__,
            "python": platform.python_version(),
        },
    }


def find_cutoffs(t: Tournament, options: Options) -> list[dict[str, Any]]:
    """Fix cut-offs of the model's own score at the rates that a report states.

    They are read off the pooled held-out predictions: a score is compared with what models of the
    same kind gave patients they had not seen, not with its own fit.
    """
    if t.predictions is None:
        return []
    share, (p, n) = options.specificity, t.class_sizes
    curve = pooled_curve(t.predictions, t.labels.is_positive)
    se, sp = curve.tpr, 1.0 - curve.fpr
    finite = np.isfinite(curve.thresholds)
    factor, _ = rate_factor(t, options.confidence_level)
    found = []
    for name, allowed, value in (
        (f"specificity {share:g}", sp >= share - 1e-9, se),
        (f"sensitivity {share:g}", se >= share - 1e-9, sp),
        ("largest sensitivity + specificity", sp >= 0, se + sp),
    ):
        if not (allowed & finite).any():
            continue
        at = int(np.argmax(np.where(allowed & finite, value, -np.inf)))
        point: dict[str, Any] = {"point": name, "threshold": float(curve.thresholds[at])}
        for rate, estimate, size in (("sensitivity", se[at], p), ("specificity", sp[at], n)):
            low, high = share_limits(np.array([estimate]), size, factor)
            point[rate] = {"estimate": float(estimate), "low": low[0], "high": high[0]}
        found.append(point)
    return found


def load_model(path: str) -> tuple[Any, dict[str, Any]]:
    """Return the estimator and its card; refuse whatever tlpo did not write, or would not trust."""
    io_of_skops = require_skops()
    content = require_file(path).read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(member.file_size for member in archive.infolist())
            damaged = archive.testzip() if size <= MOST_BYTES else CARD
            card = json.loads(archive.read(CARD)) if damaged is None else None
            if "schema.json" not in archive.namelist():
                card = None
    except KeyError as error:
        raise _refusal("was not written by tlpo: it holds no card", path) from error
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError) as error:
        raise _refusal("is no model file, or it is damaged", path) from error
    if card is None:
        raise _refusal("is damaged, or was not written by tlpo", path)
    _require_card(card, path)
    try:
        refused = _untrusted(content)
    except Exception as error:  # skops raises anything on what it did not write
        raise _refusal("is damaged: its parts do not fit together", path) from error
    if refused:
        raise InputError(
            explain(
                "The model file holds objects that could run any code, so it was not loaded.",
                f"You passed {path!r} with objects of type {enumerate_briefly(refused)}.",
                "Use a file that 'tlpo run … --save-model' wrote, from someone you trust.",
            )
        )
    try:
        return io_of_skops.loads(content, trusted=sorted(TRUSTED)), card
    except Exception as error:
        raise _refusal(f"cannot be loaded ({type(error).__name__})", path) from error


def score(fitted: Any, card: dict[str, Any], X: Any) -> FloatArray:
    """Return the model's own score of units, larger meaning more positive."""
    names = sorted((card["negative"], card["positive"]))
    return respond(fitted, response_method(fitted), X, card["positive"], (names[0], names[1]))


def digest(X: pd.DataFrame, is_positive: Any) -> str:
    """Return a digest of features and classes, from which neither can be rebuilt."""
    found = blake2b(digest_size=16)
    found.update(X.to_csv(index=False).encode("utf-8", "surrogatepass"))
    found.update(np.asarray(is_positive, dtype=bool).tobytes())
    return found.hexdigest()


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


def _describe_column(sample: Sample, name: str, is_own: bool) -> dict[str, Any]:
    column = sample.X[name]
    if name in sample.categorical:
        levels = sample.levels[name]
        # What new patients' rare and unknown levels are scored as.
        other = levels.pooled if levels.rare and not is_own else None
        return {
            "name": name,
            "kind": "categorical",
            "categories": sorted(levels.kept),
            "other": other,
        }
    q05, median, q95 = np.nanquantile(column.to_numpy(float), [0.05, 0.5, 0.95])
    return {"name": name, "kind": "numeric", "q05": q05, "median": median, "q95": q95}


def _untrusted(content: bytes) -> list[str]:
    found = require_skops().get_untrusted_types(data=content)
    return sorted(str(name) for name in found if name not in TRUSTED)


def _holds_units(fitted: Any) -> bool:
    model = fitted.steps[-1][1] if hasattr(fitted, "steps") else fitted
    return any(hasattr(model, name) for name in ("_fit_X", "X_fit_", "support_vectors_", "X_"))


def _require_card(card: Any, path: str) -> None:
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        version = card.get("format") if isinstance(card, dict) else None
        raise _refusal(f"has a card of format {version!r}; this tlpo reads {FORMAT}", path)
    wrong = [k for k, kind in _REQUIRED.items() if not isinstance(card.get(k), kind)]
    if wrong or not all(isinstance(c, dict) and "name" in c for c in card["columns"]):
        raise _refusal("has a card that was changed or cut off", path)


def _refusal(why: str, path: str) -> InputError:
    return InputError(
        explain(
            f"The model file {why}.",
            f"You passed {path!r}.",
            "Pass a file that 'tlpo run … --save-model' wrote, complete and unchanged.",
        )
    )
