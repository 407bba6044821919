"""Analyses that several tests of documents share."""

from analysis.conftest import analysis, any_analysis, written

__all__ = ["analysis", "any_analysis", "written"]
