from tlpo.commands.demo import run_demo


def test_demo_shows_the_truth_beside_the_estimates(tmp_path, capsys):
    result = run_demo(tmp_path)
    text = capsys.readouterr().out
    assert "AUC on the other 539 patients" in text
    for value in (
        result.test_auc,
        result.tournament.auc,
        result.tournament.lpo_auc,
        result.leave_one_out.auc,
    ):
        assert 0.5 < value < 1
        assert f"{value:.3f}" in text
    picture = (tmp_path / "roc-example.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
