"""Naive Bayes, exactly and without refitting."""

MODULES = ("engine",)
