"""A phantom of the paper's prostate images, whose voxels are not public.

It is a simulation and is called one wherever it appears. It follows the path of the real data:
diffusion-weighted signals of 20 patients over twelve b-values, voxel-wise fits of a
mono-exponential (ADCm) and of a kurtosis model (ADCk, K), and a Gabor texture of each of the three
maps; with the same number of voxels, 85 876 of the peripheral zone, 9 268 of them in tumours.

Diffusion (in 10⁻³ mm²/s) and kurtosis of healthy peripheral zone and of tumour are as reported by
studies of the prostate with b-values up to 2 000 s/mm²: about 2.1 and 0.6 against 1.5 and 0.95.
They differ between patients, and vary smoothly within them; noise is Rician.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import ndimage

from tlpo.arrays import BoolArray, FloatArray
from tlpo.errors import InputError, explain
from tlpo.execution.replace import replacing
from tlpo.experiments.paper import Pool

N_PATIENTS = 20
N_VOXELS, N_TUMOUR = 85_876, 9_268
B_VALUES = np.array([0, 100, 300, 500, 700, 900, 1100, 1300, 1500, 1700, 1900, 2000]) / 1000.0
SHAPE = (14, 64, 64)  # slices, rows, columns
FEATURES = ("ADCm", "ADCk", "K", "Gabor ADCm", "Gabor ADCk", "Gabor K")
# mean, difference of tumour, standard deviation between patients, and within a patient
DIFFUSION = (2.1, -0.55, 0.15, 0.25)
KURTOSIS = (0.6, 0.3, 0.06, 0.12)
NOISE = 0.035  # of the signal without diffusion weighting
GABOR_FREQUENCY = 0.25  # cycles per voxel
GABOR_ANGLES = (0.0, 0.25, 0.5, 0.75)  # of π
VERSION = 1


def phantom(cache: Path | None = None, seed: int = 2018) -> Pool:
    """Return the phantom's voxels, simulated or from a cache."""
    if cache is not None and cache.exists():
        with np.load(cache, allow_pickle=False) as stored:
            if stored["version"] == VERSION and stored["seed"] == seed:
                return Pool("phantom", stored["X"].astype(float), stored["y"])
    parts = [
        _patient(np.random.default_rng([seed, number]), *sizes)
        for number, sizes in enumerate(_sizes(np.random.default_rng(seed)))
    ]
    X = np.concatenate([features for features, _ in parts])
    y = np.concatenate([tumour for _, tumour in parts])
    # Kept in single precision: the same voxels whether just simulated or read from the cache.
    X = X.astype(np.float32)
    if cache is not None:
        with replacing(cache) as beside:
            np.savez_compressed(beside, X=X, y=y, version=VERSION, seed=seed)
    return Pool("phantom", X.astype(float), y)


def _sizes(rng: np.random.Generator) -> list[tuple[int, int]]:
    """Divide voxels and tumour voxels among the patients, unevenly, with the right sums."""
    divided = []
    for total, spread in ((N_VOXELS, 0.25), (N_TUMOUR, 0.8)):
        weight = np.exp(spread * rng.normal(size=N_PATIENTS))
        share = np.floor(total * weight / weight.sum()).astype(int)
        share[: total - share.sum()] += 1
        divided.append(share.tolist())
    return list(zip(*divided, strict=True))


def _patient(
    rng: np.random.Generator, n_voxels: int, n_tumour: int
) -> tuple[FloatArray, BoolArray]:
    """Simulate one patient: features of the voxels of the zone, and which are tumour."""
    zone, tumour = _regions(rng, n_voxels, n_tumour)
    truth = []
    for mean, difference, between, within in (DIFFUSION, KURTOSIS):
        level = mean + between * rng.normal() + within * _smooth(rng)
        shift = difference * (1.0 + 0.25 * rng.normal())
        truth.append(level + shift * ndimage.gaussian_filter(tumour.astype(float), (0.3, 0.7, 0.7)))
    D, K = np.maximum(truth[0], 0.3), np.clip(truth[1], 0.0, 2.0)
    weighting = B_VALUES[:, None, None, None] * D
    signal = np.exp(-weighting + weighting**2 * K / 6.0)
    noise = NOISE * rng.normal(size=(2, *signal.shape))
    signal = np.hypot(signal + noise[0], noise[1])
    maps = fit_maps(signal)
    textures = [np.stack([_gabor(plane) for plane in volume]) for volume in maps]
    features = np.column_stack([volume[zone] for volume in (*maps, *textures)])
    return features, tumour[zone]


def _regions(rng: np.random.Generator, n_voxels: int, n_tumour: int) -> tuple[BoolArray, BoolArray]:
    """Return a crescent of this many voxels, and a tumour within it."""
    z, row, column = np.indices(SHAPE).astype(float)
    z -= (SHAPE[0] - 1) / 2
    row -= 0.42 * SHAPE[1]
    column -= (SHAPE[2] - 1) / 2
    # The crescent lies below the centre, about a fixed distance from it, thinner at its ends.
    radius = np.hypot(row / 0.85, column)
    away = np.abs(radius - 19.0) / 6.0 + np.maximum(0.0, 4.0 - row) / 4.0 + (z / 9.0) ** 2
    zone = _nearest(away + 1e-6 * rng.random(SHAPE), np.ones(SHAPE, dtype=bool), n_voxels)
    inside = np.argwhere(zone)
    centre = inside[rng.integers(len(inside))]
    stretch = np.exp(0.25 * rng.normal(size=3)) * np.array([0.6, 1.0, 1.0])
    offset = np.indices(SHAPE) - centre[:, None, None, None]
    distance = np.sqrt(np.einsum("i,i...->...", 1.0 / stretch**2, offset.astype(float) ** 2))
    distance += 1.5 * _smooth(rng)
    return zone, _nearest(distance, zone, n_tumour)


def _nearest(distance: FloatArray, allowed: BoolArray, count: int) -> BoolArray:
    """Return the mask of the ``count`` allowed voxels with the smallest distance."""
    ranked = np.where(allowed, distance, np.inf).ravel()
    chosen = np.zeros(ranked.size, dtype=bool)
    chosen[np.argsort(ranked, kind="stable")[:count]] = True
    return chosen.reshape(SHAPE)


def _smooth(rng: np.random.Generator) -> FloatArray:
    """Return smooth noise with variance one."""
    field = np.asarray(ndimage.gaussian_filter(rng.normal(size=SHAPE), (0.8, 1.5, 1.5)))
    return np.asarray(field / field.std())


def fit_maps(signal: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Fit both models to each voxel: ADCm, ADCk and K.

    Weighted least squares of the logarithm, weights the squared signal, which undoes what the
    logarithm does to the noise: ``ln S = s − b ADCm`` and ``ln S = s − b D + b² D² K/6``.
    """
    shape = signal.shape[1:]
    S = np.maximum(signal.reshape(B_VALUES.size, -1), 1e-6)
    logs, weight = np.log(S), S**2
    fitted = []
    for degree in (1, 2):
        powers = np.stack([B_VALUES**k for k in range(degree + 1)])
        gram = np.einsum("ib,jb,bv->vij", powers, powers, weight)
        right = np.einsum("ib,bv,bv->vi", powers, weight, logs)
        fitted.append(np.linalg.solve(gram, right[..., None])[..., 0])
    mono, kurtosis = fitted
    ADCk = np.clip(-kurtosis[:, 1], 0.1, 5.0)
    K = np.clip(6.0 * kurtosis[:, 2] / ADCk**2, -1.0, 3.0)
    return (-mono[:, 1]).reshape(shape), ADCk.reshape(shape), K.reshape(shape)


def _gabor(plane: FloatArray) -> FloatArray:
    """Return the mean magnitude of Gabor filters of four directions."""
    try:
        from skimage.filters import gabor
    except ImportError as error:
        raise InputError(
            explain(
                "The phantom needs scikit-image.",
                "It is not installed here.",
                "Install it with: pip install 'tlpo[paper]'.",
            )
        ) from error
    total = np.zeros_like(plane)
    for angle in GABOR_ANGLES:
        options: Any = {"theta": np.pi * angle, "mode": "nearest"}
        real, imaginary = gabor(plane, GABOR_FREQUENCY, **options)  # type: ignore[no-untyped-call]
        total += np.hypot(real, imaginary)
    return total / len(GABOR_ANGLES)
