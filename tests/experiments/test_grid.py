"""The paper's settings, counted."""

from tlpo.experiments import grid


def test_settings_are_every_combination_once():
    settings = grid.synthetic(grid.NO_SIGNAL)
    assert len(settings) == len(set(settings)) == 2 * 2 * 5
    assert {setting.n_units for setting in settings} == {30}
    assert len(grid.synthetic(grid.SIGNAL)) == 2 * 4 * 5
    assert grid.synthetic(()) == []


def test_figures_and_parts_need_each_other():
    needed = {part for parts in grid.FIGURES.values() for part in parts}
    assert needed == set(grid.PARTS)


def test_the_papers_pool_gives_its_samples():
    # 9 268 tumour voxels, 15 of them in each sample of 30.
    assert 9268 // (grid.N_UNITS // 2) == grid.POOL_REPETITIONS
