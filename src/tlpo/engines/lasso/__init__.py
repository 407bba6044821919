"""Exact tournaments of the lasso and the elastic net, their penalty chosen in every game."""

MODULES = ("engine",)
