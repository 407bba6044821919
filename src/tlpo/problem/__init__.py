"""User input becomes a `Problem`; every message about bad data is in this package."""
