from __future__ import annotations

import numpy as np
import pytest

from dragoman.errors import InputError
from dragoman.evaluation.gains_table import gains_table
from dragoman.evaluation.score_files import ScoreRow


def rows(metric: str, pair: str, means: dict[tuple[str, str], float], size: int, sign: float = 1.0) -> list[ScoreRow]:
    random = np.random.default_rng(len(metric + pair))
    found = []
    for (system, test_set), mean in means.items():
        for segment, noise in enumerate(random.normal(0, 3, size=size)):
            found.append(ScoreRow(metric, pair, test_set, system, str(segment), sign * (mean + noise)))
    return found


MEANS = {("old", "07"): 40.0, ("older", "07"): 30.0, ("now", "07"): 60.0, ("new", "12"): 41.0, ("now", "12"): 52.0}


def test_gains_with_intervals_and_means() -> None:
    table = rows("DA", "cs-en", MEANS, 200) + rows("DA", "de-en", MEANS, 200) + rows("ER", "cs-en", MEANS, 200, -1.0)
    found = gains_table(table, old="07", new="12", benchmark="now", lower_is_better=["ER"])
    first = found.gains[0]
    assert (first.metric, first.pair, first.old, first.new) == ("DA", "cs-en", ("old", "07"), ("new", "12"))
    for one in found.gains:
        assert one.gain.interval is not None
        assert one.gain.interval[0] < 9 < one.gain.interval[1]
        assert one.gain.difficulty == pytest.approx(8, abs=1)
    assert list(found.means) == ["DA"]
    narrow, wide = found.means["DA"].interval, found.gains[0].gain.interval
    assert narrow is not None
    assert wide is not None
    assert narrow[1] - narrow[0] < wide[1] - wide[0]
    plain = found.to_dict()
    assert plain["gains"][0]["old"] == ["old", "07"]
    assert "<svg" in found._repr_html_()
    named = gains_table(table, old="07:older", new="12:new", benchmark="now", lower_is_better=["ER"])
    assert named.gains[0].gain.gain == pytest.approx(19, abs=1)


def test_scores_of_systems_have_no_interval() -> None:
    table = [ScoreRow("BLEU", "x-y", test_set, system, None, mean) for (system, test_set), mean in MEANS.items()]
    (one,) = gains_table(table, old="07", new="12", benchmark="now").gains
    assert one.gain.gain == pytest.approx(9)
    assert one.gain.interval is None
    assert "<svg" not in gains_table(table, old="07", new="12", benchmark="now")._repr_html_()


def test_different_segments_are_drawn_apart() -> None:
    table = [row for k, row in enumerate(rows("DA", "cs-en", MEANS, 50)) if k % 7]
    (one,) = gains_table(table, old="07", new="12", benchmark="now").gains
    assert one.gain.interval is not None


def test_refusals() -> None:
    table = rows("DA", "cs-en", MEANS, 5)
    with pytest.raises(InputError, match="DA, cs-en: no system but now has scores on 99"):
        gains_table(table, old="07", new="99", benchmark="now")
    with pytest.raises(InputError, match="old has no score on 12"):
        gains_table(table, old="07", new="12:old", benchmark="now")
    with pytest.raises(InputError, match="cloud has no score on 07"):
        gains_table(table, old="07", new="12", benchmark="cloud")
    with pytest.raises(InputError, match="are one"):
        gains_table(table, old="07", new="07", benchmark="now")
    with pytest.raises(InputError, match="no scores"):
        gains_table([], old="07", new="07", benchmark="now")
