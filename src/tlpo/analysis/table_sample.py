"""What Python gets from a file: features, outcome and groups, as ``tlpo run`` takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tlpo.analysis.caveats import on_columns
from tlpo.analysis.models import features_of, make_model
from tlpo.analysis.summarize import suspects_of
from tlpo.arrays import BoolArray, FloatArray
from tlpo.plurals import noun
from tlpo.problem.outcome import Classes, TimeToEvent
from tlpo.tables import read as files
from tlpo.tables.build_sample import Sample, build_sample
from tlpo.tables.options import IMPUTE, Reading, Specification, name_target

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class TableSample:
    r"""The rows of a table that have an outcome, ready to be evaluated.

    Attributes
    ----------
    X : array or pandas.DataFrame
        The features, for the models that `model` returns: an array if all are numbers.
    y : ndarray
        The outcome: classes as text, numbers as they are, grades as their places from 0, or times
        and events as one array.
    positive : str or None
        The label that counts as positive, of two classes.
    time, event : ndarray or None
        The outcome, if it is a time to an event.
    groups : ndarray or None
        Which rows belong together.
    names : list of str
        The features.
    table : pandas.DataFrame
        The features as they are in the file, for a model of your own.
    by : dict of str to ndarray
        The subgroup of every row, by column; None where it is unknown.
    notes : list of str
        How the table was understood, and what should be known about its columns before a result
        is reported.

    Examples
    --------
    See `read_table`.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import tlpo
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name) / "patients.csv"
    >>> _ = file.write_text("age;stage;died\n61;I;no\n70;II;yes\n58;I;no\n66;II;yes\n")
    >>> sample = tlpo.read_table(file, "died")
    >>> sample
    TableSample(4 rows, 2 features; outcome yes against no)
    >>> sample.names, sample.positive, sample.model("knn").steps[-1][0]
    (['age', 'stage'], 'yes', 'kneighborsclassifier')
    >>> folder.cleanup()
    """

    X: Any
    y: npt.NDArray[Any]
    positive: str | None
    time: FloatArray | None
    event: BoolArray | None
    groups: npt.NDArray[Any] | None
    names: list[str]
    table: pd.DataFrame
    by: dict[str, npt.NDArray[np.object_]]
    notes: list[str]
    _sample: Sample = field(repr=False)

    def model(self, name: str) -> Any:
        """Return a model of ``tlpo run``, with the preparation that these features need.

        Imputation, scaling and encoding are steps of its pipeline, so they are fitted without the
        units that are held out.

        Parameters
        ----------
        name : str
            As ``tlpo run --model`` takes it: ``"ridge"``, ``"knn:n_neighbors=5"``. The command
            ``tlpo models`` lists them.

        Returns
        -------
        scikit-learn estimator
            Not fitted.
        """
        return make_model(name, self._sample).estimator

    def __repr__(self) -> str:
        outcome = self._sample.outcome
        what = f"outcome {self._sample.target}"
        if isinstance(outcome, Classes):
            what = f"outcome {outcome.positive} against {outcome.negative}"
        return f"TableSample({len(self.y)} rows, {len(self.names)} features; {what})"


def read_table(
    path: str | Path,
    target: str | None = None,
    *,
    positive: str | None = None,
    time: str | None = None,
    event: str | None = None,
    features: Sequence[str] = (),
    drop: Sequence[str] = (),
    group: str | Sequence[str] | None = None,
    rows: Sequence[str] = (),
    missing: str | Sequence[str] = IMPUTE,
    classes: Sequence[str] = (),
    ordered: bool = False,
    order: Sequence[str] = (),
    by: Sequence[str] = (),
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
) -> TableSample:
    r"""Read a file as ``tlpo run`` does: which column is the outcome, which are features.

    Every argument is a flag of ``tlpo run``, and means the same.

    Parameters
    ----------
    path : path
        Text (CSV and its relatives), Excel, SPSS, Stata, SAS or Parquet.
    target : str, optional
        Column of the outcome: labels, numbers or grades. ``"loss >= 5"`` cuts a number in two.
    positive : str, optional
        The label that counts as positive.
    time, event : str, optional
        In place of ``target``: the column of times to an event, and that of who had it;
        ``"status == 2"`` names the value that means so.
    features, drop : sequence of str
        Columns to predict from, all that qualify by default, and columns to leave out.
    group : str or sequence of str, optional
        Column that says which rows belong together, such as the patient.
    rows : sequence of str
        Conditions that all rows meet, such as ``"1-120"`` or ``"arm=treated"``.
    missing : str or sequence of str
        ``"impute"`` inside every fit, or ``"drop"`` rows with missing values. Any other text is a
        value that means missing: ``"999"``, or ``"age=999"`` in one column.
    classes : sequence of str
        Labels to tell apart; ``"0,1"`` joins two of them, ``"rest"`` is all others.
    ordered : bool
        Whether the outcome is numbers or grades.
    order : sequence of str
        The grades from lowest to highest, if they are names.
    by : sequence of str
        Columns of subgroups.
    categorical, numeric : sequence of str
        Columns that are categories, and columns that are numbers, whatever they look like.
    sep, decimal, encoding, sheet, header_row
        How to read the file; detected by default.

    Returns
    -------
    TableSample

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import pandas as pd
    >>> import tlpo
    >>> rng, ill = np.random.default_rng(0), np.arange(30) % 3 == 0
    >>> patients = pd.DataFrame({"patient": np.arange(30) // 2, "psa": rng.normal(size=30) + ill})
    >>> patients["stage"], patients["outcome"] = ["I", "II"] * 15, np.where(ill, "ill", "well")
    >>> folder = tempfile.TemporaryDirectory()
    >>> patients.to_csv(f"{folder.name}/patients.csv", index=False)
    >>> sample = tlpo.read_table(
    ...     f"{folder.name}/patients.csv", "outcome", positive="ill", group="patient"
    ... )
    >>> t = tlpo.tournament(
    ...     sample.model("ridge"),
    ...     sample.X,
    ...     sample.y,
    ...     positive=sample.positive,
    ...     groups=sample.groups,
    ... )
    >>> round(t.auc, 3)
    0.72
    >>> print("\n".join(sample.notes))
    The outcome is 'outcome'. 'ill' counts as positive (as requested), 'well' as negative.
    Rows with the same 'patient' are left out of training together (15 groups).
    >>> folder.cleanup()
    """
    reading = Reading(sep, decimal, encoding, sheet, header_row)
    spec = Specification(
        name_target(target, time, event),
        positive=positive,
        features=features,
        drop=drop,
        group=group,
        missing=missing,
        rows=rows,
        classes=classes,
        by=by,
        categorical=categorical,
        ordered=ordered,
        order=order,
        time=time,
        numeric=numeric,
    )
    sample = build_sample(files.read_table(str(path), reading), spec)
    outcome = sample.outcome
    times = outcome if isinstance(outcome, TimeToEvent) else None
    labels: list[str] = [] if sample.is_ordered else np.unique(sample.y).tolist()
    suspects = suspects_of(sample)
    remarks = on_columns(suspects, labels, noun(sample.unit).many, sample.group)
    return TableSample(
        X=features_of(sample),
        y=sample.y,
        positive=outcome.positive if isinstance(outcome, Classes) else None,
        time=None if times is None else times.time,
        event=None if times is None else times.event,
        groups=sample.groups,
        names=list(sample.X.columns),
        table=sample.X,
        by={name: np.array(subgroups, dtype=object) for name, subgroups in sample.by.items()},
        notes=[*sample.notes, *(remark.worded() for remark in remarks)],
        _sample=sample,
    )
