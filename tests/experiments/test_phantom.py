import numpy as np
import pytest

from tlpo.experiments import phantom as phantoms


@pytest.fixture(scope="module")
def cached(tmp_path_factory):
    path = tmp_path_factory.mktemp("phantom") / "sub" / "phantom.npz"
    return path, phantoms.phantom(path)


@pytest.mark.exhaustive
def test_it_has_the_papers_voxels(cached):
    _, pool = cached
    assert pool.name == "phantom"
    assert pool.X.shape == (85_876, 6)
    assert np.count_nonzero(pool.y) == 9_268
    assert np.isfinite(pool.X).all()


@pytest.mark.exhaustive
def test_tumours_diffuse_less_and_have_more_kurtosis(cached):
    _, pool = cached
    healthy, tumour = pool.X[~pool.y].mean(axis=0), pool.X[pool.y].mean(axis=0)
    assert 1.2 < healthy[0] < 1.7
    assert 0.8 < tumour[0] < 1.2
    assert healthy[1] > tumour[1] + 0.3
    assert healthy[2] < tumour[2] - 0.1


@pytest.mark.exhaustive
def test_a_cached_phantom_is_the_same(cached):
    path, pool = cached
    again = phantoms.phantom(path)
    assert again.digest == pool.digest


def test_voxels_are_divided_among_the_patients():
    sizes = phantoms._sizes(np.random.default_rng(1))
    assert sum(n for n, _ in sizes) == 85_876
    assert sum(n for _, n in sizes) == 9_268
    assert all(0 < tumour < n for n, tumour in sizes)


def test_fits_recover_what_was_put_in():
    b = phantoms.B_VALUES
    D, K = np.array([2.0, 1.2]), np.array([0.5, 1.0])
    signal = np.exp(-b[:, None] * D + (b[:, None] * D) ** 2 * K / 6)[:, None, :]
    adcm, adck, k = phantoms.fit_maps(signal)
    np.testing.assert_allclose(adck.ravel(), D, rtol=1e-8)
    np.testing.assert_allclose(k.ravel(), K, rtol=1e-8)
    assert (adcm.ravel() < D).all()  # kurtosis makes the decay look slower
    plain = np.exp(-b[:, None] * D)[:, None, :]
    adcm, adck, k = phantoms.fit_maps(plain)
    np.testing.assert_allclose(adcm.ravel(), D, rtol=1e-8)
    np.testing.assert_allclose(k.ravel(), 0, atol=1e-8)
