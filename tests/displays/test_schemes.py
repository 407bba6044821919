import oracles
import tlpo


def test_schemes_side_by_side():
    X, y = oracles.blobs(m=24, shift=0.6, seed=2)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    table = tlpo.evaluate(
        tlpo.RLS(), X, y, schemes=("tlpo", "loo", "harrell"), n_resamples=20, random_state=0
    )
    display = tlpo.SchemesDisplay.from_result(table, tuple(t.auc_interval())).plot()
    assert display.dots_.get_offsets()[:, 0].tolist() == table["auc"].tolist()
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == ["tournament (TLPO)", "leave-one-out, pooled", "bootstrap (Harrell)"]
    assert display.frame()["scheme"].tolist() == ["tlpo", "loo", "harrell"]
