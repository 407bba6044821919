"""Linear discriminant analysis of several classes, exactly and without refitting."""

MODULES = ("engine",)
