"""Exact tournaments of penalised least squares, from one decomposition."""

MODULES = ("engine", "varying", "nested")  # in order of preference
