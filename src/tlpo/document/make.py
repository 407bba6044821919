"""From any analysis to its document."""

from __future__ import annotations

from tlpo.analysis.remarks import Word, in_words
from tlpo.analysis.shapes import (
    AnyAnalysis,
    MarkerAnalysis,
    ModelAnalysis,
    OrderedAnalysis,
    OrderedMarkerAnalysis,
    SeveralAnalysis,
    SurvivalAnalysis,
    SurvivalMarkerAnalysis,
    SurvivalValidation,
)
from tlpo.document.blocks import Document
from tlpo.document.markers import marker_document
from tlpo.document.models import model_document
from tlpo.document.ordered import ordered_document
from tlpo.document.ordered_markers import ordered_marker_document
from tlpo.document.several import several_document
from tlpo.document.survival import survival_document
from tlpo.document.survival_markers import survival_marker_document
from tlpo.document.survival_validation import survival_validation_document
from tlpo.document.validation import validation_document


def make_document(analysis: AnyAnalysis, word: Word = in_words) -> Document:
    """Return the document of an analysis; ``word`` puts what can be done into words."""
    if isinstance(analysis, ModelAnalysis):
        return model_document(analysis, word)
    if isinstance(analysis, SeveralAnalysis):
        return several_document(analysis, word)
    if isinstance(analysis, OrderedAnalysis):
        return ordered_document(analysis, word)
    if isinstance(analysis, SurvivalAnalysis):
        return survival_document(analysis, word)
    if isinstance(analysis, MarkerAnalysis):
        return marker_document(analysis, word)
    if isinstance(analysis, OrderedMarkerAnalysis):
        return ordered_marker_document(analysis, word)
    if isinstance(analysis, SurvivalMarkerAnalysis):
        return survival_marker_document(analysis, word)
    if isinstance(analysis, SurvivalValidation):
        return survival_validation_document(analysis, word)
    return validation_document(analysis, word)
