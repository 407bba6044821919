import numpy as np

from studies.simulations import Simulation
from tlpo.experiments.samples import Setting


def test_repetitions_are_independent_of_their_order():
    setting = Setting("ridge", 12, 0.5, 3, 0)
    first, again = (setting.draw(setting.rng(5))[0] for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert (setting.draw(setting.rng(6))[0] != first).all()
    assert (Setting("ridge", 12, 0.5, 3, 1).draw(setting.rng(5))[0][:, 1:] == first[:, 1:]).all()


def test_a_simulation_draws_what_the_paper_draws():
    plain, simulated = (kind("ridge", 12, 0.5, 3, 1) for kind in (Setting, Simulation))
    assert simulated.name == plain.name
    for one, other in zip(
        simulated.draw(simulated.rng(5, 2)), plain.draw(plain.rng(5, 2)), strict=True
    ):
        np.testing.assert_array_equal(one, other)
