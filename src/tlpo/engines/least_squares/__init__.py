"""Exact tournaments of penalised least squares, from one decomposition."""
