"""User input becomes a `Problem`; every message for bad data is in this room."""
