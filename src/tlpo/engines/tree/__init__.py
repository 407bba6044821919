"""Single decision trees, grown anew without every pair."""

MODULES = ("engine",)
