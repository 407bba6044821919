import numpy as np

import tlpo


def test_calibration_display_draws_what_it_stores():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, 60)
    found = tlpo.Probabilities(p, rng.random(60) < p)
    display = tlpo.CalibrationDisplay.from_result(found, confidence_level=0.8).plot()
    curve = found.calibration_curve(0.8)
    predicted, observed = display.line_.get_data()
    assert np.array_equal(predicted, curve.predicted)
    assert np.array_equal(observed, curve.observed)
    corners = display.band_.get_paths()[0].vertices.tolist()
    assert all([x, low] in corners for x, low in zip(curve.predicted, curve.low, strict=True))
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == ["observed", "80% by chance, if perfect", "perfect"]
    assert display.frame()["high"].tolist() == curve.high.tolist()
