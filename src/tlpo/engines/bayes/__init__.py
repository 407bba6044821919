"""Naive Bayes, exactly and without refitting."""
