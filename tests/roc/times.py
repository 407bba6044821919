"""Made-up times to an event."""

import numpy as np

# Units, distinct times (about), the share censored, and a seed: with few events and with many ties.
CASES = [
    (m, n_times, censored, seed)
    for m, n_times, censored in [
        (12, 5, 0.3),
        (25, 8, 0.6),
        (25, 1000, 0.5),
        (40, 10, 0.85),
        (60, 1000, 0.7),
        (80, 20, 0.4),
    ]
    for seed in range(4)
]


def random_times(m, n_times, censored, seed):
    """Times on a grid, so that events share times with each other and with censorings."""
    rng = np.random.default_rng([m, n_times, seed])
    time = np.ceil(rng.exponential(0.3, m) * n_times) / n_times
    event = rng.random(m) >= censored
    event[np.argsort(time)[[1, m // 2]]] = True
    event[time == time.max()] = seed % 2 == 1  # the curve falls to 0, or ends above it
    return time, event


def after_events(time, event):
    """Move censorings to a moment after the events of their time: which is what they mean."""
    return np.where(event, time, time + 1e-6)
