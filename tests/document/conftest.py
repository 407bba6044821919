"""Summaries that several tests of documents share."""

from analysis.conftest import summary, written

__all__ = ["summary", "written"]
