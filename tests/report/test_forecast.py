def test_a_long_run_is_announced():
    from tlpo.report.forecast import Cost, say_forecast

    lines = say_forecast([Cost("forest", 499_500, 499_500.0)], cores=2)
    assert lines[0] == "499500 fits, about 69 h."
    assert "tlpo.quicksort" in lines[1]
    assert len(say_forecast([Cost("rls", 10, 0.1)], cores=1)) == 1
