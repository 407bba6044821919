"""Plots of results. Constructors compute, ``plot`` draws, ``frame`` returns the numbers."""

from tlpo.displays.calibration import CalibrationDisplay
from tlpo.displays.concordance import ConcordanceDisplay
from tlpo.displays.games import TournamentDisplay
from tlpo.displays.multiclass import MulticlassDisplay
from tlpo.displays.net_benefit import NetBenefitDisplay
from tlpo.displays.precision_recall import PrecisionRecallDisplay
from tlpo.displays.roc import RocDisplay
from tlpo.displays.schemes import SCHEME_NAMES, SchemesDisplay
from tlpo.displays.scores import ScoreDisplay
from tlpo.displays.style import COLOURS, DASHES
from tlpo.displays.survival import SurvivalDisplay

__all__ = [
    "COLOURS",
    "DASHES",
    "SCHEME_NAMES",
    "CalibrationDisplay",
    "ConcordanceDisplay",
    "MulticlassDisplay",
    "NetBenefitDisplay",
    "PrecisionRecallDisplay",
    "RocDisplay",
    "SchemesDisplay",
    "ScoreDisplay",
    "SurvivalDisplay",
    "TournamentDisplay",
]
