import re

import pytest

from analysis.analyses import ANALYSES
from tlpo.document.checklists import STARD, TO_DO, TRIPOD_AI, checklist_blocks, fill
from tlpo.document.make import make_document

# As numbered by Collins et al. (2024) and Bossuyt et al. (2015).
NUMBERS = {
    "TRIPOD+AI": (
        "1 2 3a 3b 3c 4 5a 5b 6a 6b 6c 7 8a 8b 8c 9a 9b 9c 10 11 12a 12b 12c 12d 12e 12f 12g 13 14 "
        "15 16 17 18a 18b 18c 18d 18e 18f 19 20a 20b 20c 21 22 23a 23b 24 25 26 27a 27b 27c"
    ),
    "STARD 2015": (
        "1 2 3 4 5 6 7 8 9 10a 10b 11 12a 12b 13a 13b 14 15 16 17 18 19 20 21a 21b 22 23 24 25 26 "
        "27 28 29 30"
    ),
}


@pytest.mark.parametrize(("name", "items"), [("TRIPOD+AI", TRIPOD_AI), ("STARD 2015", STARD)])
def test_every_item_of_the_guideline_is_listed_once(name, items):
    assert [item.number for item in items] == NUMBERS[name].split()


def test_every_item_is_answered_or_left_to_the_author(analysis):
    _, *folded = checklist_blocks(analysis)
    for block, items in zip(folded, (TRIPOD_AI, STARD), strict=True):
        (table,) = block.blocks
        answers = [row[2] for row in table.rows]
        assert all(answer.removeprefix(TO_DO).strip() for answer in answers)
        done = sum(not answer.startswith(TO_DO) for answer in answers)
        assert block.summary == f"{table.caption}: {done} of {len(items)} entries filled in"
        assert done >= 10


SECTIONS = ("Sample size", "Operating points", "Methods", "Sample", "Subgroups", "Each model")


def test_sections_that_answers_name_are_in_the_report(analysis):
    titles = {section.title for section in make_document(analysis).sections}
    text = " ".join(fill(item, analysis) for item in (*TRIPOD_AI, *STARD))
    named = [name for name in SECTIONS if re.search(rf"(see|under|:) {name}\b", text)]
    assert len(named) >= 4
    assert set(named) <= titles


def answers_of(name, number, items=TRIPOD_AI):
    (item,) = (item for item in items if item.number == number)
    return fill(item, ANALYSES[name]())


@pytest.mark.parametrize(
    ("number", "items", "done", "not_done", "says"),
    [
        ("12a", TRIPOD_AI, "one model", "rounds", "every pair of patients was left out in turn."),
        ("12a", TRIPOD_AI, "one model", "sorts", "every pair of patients was left out in turn."),
        ("12d", TRIPOD_AI, "groups", "one model", "left out together"),
        ("12e", TRIPOD_AI, "probabilities", "one model", "calibration"),
        ("14", TRIPOD_AI, "subgroups", "one model", "AUC by site, smoker: Subgroups."),
        ("15", TRIPOD_AI, "one model", "sorts", "Cut-offs with their rates"),
        ("14", STARD, "one model", "sorts", "AUC with 95% intervals"),
        ("14", STARD, "three models", "one model", "paired tests"),
        ("23", STARD, "one model", "ties", "TP, FP, FN and TN"),
        ("16", STARD, "groups", "one model", "1 value in 1 row, imputed"),
    ],
)
def test_what_was_not_done_is_not_said_to_be(number, items, done, not_done, says):
    assert says in answers_of(done, number, items)
    assert says not in answers_of(not_done, number, items)
