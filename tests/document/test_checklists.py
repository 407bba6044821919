import re

import pytest

from analysis.analyses import ANALYSES, KINDS, one_of_each
from tlpo.document.checklists import TO_DO
from tlpo.document.guidelines import EVALUATION, STARD, TRIPOD_AI
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
# What TRIPOD+AI marks with a D alone.
OF_DEVELOPMENT = "9a 12a 12b 12c 15 22 27a 27b"
# What a report fills in: the checklists of all kinds of analyses.
GUIDELINES = {
    "run": (TRIPOD_AI, STARD),
    "ordered": (TRIPOD_AI,),
    "classes": (TRIPOD_AI,),
    "survival": (TRIPOD_AI,),
    "marker": (STARD,),
    "ordered marker": (),
    "survival marker": (),
    "validation": (EVALUATION,),
    "survival validation": (EVALUATION,),
}


@pytest.mark.parametrize("guideline", [TRIPOD_AI, STARD])
def test_every_item_of_the_guideline_is_listed_once(guideline):
    assert [item.number for item in guideline.items] == NUMBERS[guideline.name].split()


def test_evaluations_answer_what_is_not_of_development_alone():
    numbers = [item.number for item in EVALUATION.items]
    assert [n for n in NUMBERS["TRIPOD+AI"].split() if n not in numbers] == OF_DEVELOPMENT.split()


def checklist_of(analysis):
    sections = [s for s in make_document(analysis).sections if s.id == "checklist"]
    return sections[0].blocks[1:] if sections else []


def test_every_item_is_answered_or_left_to_the_author(any_analysis):
    folded, guidelines = checklist_of(any_analysis), GUIDELINES[any_analysis.__struct_config__.tag]
    for block, guideline in zip(folded, guidelines, strict=True):
        (table,) = block.blocks
        assert [row[0] for row in table.rows] == [item.number for item in guideline.items]
        answers = [row[2] for row in table.rows]
        assert all(answer.removeprefix(TO_DO).strip() for answer in answers)
        assert not [answer for answer in answers if re.search(r"None of|None,|\bnan\b", answer)]
        done = sum(not answer.startswith(TO_DO) for answer in answers)
        assert block.summary == f"{guideline.name}: {done} of {len(answers)} entries filled in"
        assert done >= 10


SECTIONS = (
    *("Answer", "Sample size", "Operating points", "Methods", "Sample", "Subgroups", "Each model"),
    *("Cut-offs", "Discrimination", "Every two classes", "Each class against the others"),
)


def test_sections_that_answers_name_are_in_the_report(any_analysis):
    folded = checklist_of(any_analysis)
    titles = {section.title for section in make_document(any_analysis).sections}
    rows = [row for block in folded for table in block.blocks for row in table.rows]
    text = " ".join(row[2] for row in rows)
    named = [name for name in SECTIONS if re.search(rf"(see|under|:|and) {name}[.;,\s]", text)]
    assert set(named) <= titles
    assert len(named) >= (0 if not folded else 1 if len(rows) == len(EVALUATION.items) else 2)


def answer_of(name, number, guideline=TRIPOD_AI):
    analysis = (ANALYSES | KINDS)[name]()
    found = dict(
        zip(GUIDELINES[analysis.__struct_config__.tag], checklist_of(analysis), strict=True)
    )
    ((table,),) = (block.blocks for block in [found[guideline]])
    return next(row[2] for row in table.rows if row[0] == number)


@pytest.mark.parametrize(
    ("number", "items", "done", "not_done", "says"),
    [
        ("12a", TRIPOD_AI, "one model", "rounds", "every pair of patients was left out in turn."),
        ("12a", TRIPOD_AI, "one model", "sorts", "every pair of patients was left out in turn."),
        ("12d", TRIPOD_AI, "groups", "one model", "left out together"),
        ("12e", TRIPOD_AI, "probabilities", "one model", "calibration"),
        ("14", TRIPOD_AI, "subgroups", "one model", "AUC by site, smoker: Subgroups."),
        ("15", TRIPOD_AI, "one model", "sorts", "Cut-offs with their rates"),
        ("22", TRIPOD_AI, "one model", "ties", "Equation of rls: Each model."),
        ("14", STARD, "one model", "sorts", "AUC with 95% intervals"),
        ("14", STARD, "three models", "one model", "paired tests"),
        ("23", STARD, "one model", "ties", "TP, FP, FN and TN"),
        ("16", STARD, "groups", "one model", "1 value in 1 row, imputed"),
        ("8a", TRIPOD_AI, "grades", "numbers", "stage, with the grades low < medium < high."),
        ("12a", TRIPOD_AI, "numbers", "numbers in rounds", "every pair of patients was left out"),
        ("14", TRIPOD_AI, "numbers by subgroups", "numbers", "Concordance by site, smoker"),
        ("23b", TRIPOD_AI, "several classes by subgroups", "several classes", "AUC by smoker"),
        ("22", TRIPOD_AI, "several classes in groups", "several classes", "Equation of ridge, lda"),
        ("22", TRIPOD_AI, "survival", "numbers", "Hazard ratios and baseline survival of cox"),
        ("12a", STARD, "markers", "marker", "Given, not chosen on these data: marker ≥ 0.5. "),
        ("14", STARD, "markers", "marker", "paired tests"),
        ("16", STARD, "markers with gaps", "marker", "Missing: marker in 2; each marker"),
        ("12e", EVALUATION, "validation", "validation of scores", "calibration"),
        ("20a", EVALUATION, "validation of scores", "validation", "20 rows read, 1 left out"),
    ],
)
def test_what_was_not_done_is_not_said_to_be(number, items, done, not_done, says):
    assert says in answer_of(done, number, items)
    assert says not in answer_of(not_done, number, items)


@pytest.mark.parametrize("name", one_of_each([*ANALYSES, *KINDS]))
def test_the_list_is_the_last_section(name):
    sections = make_document((ANALYSES | KINDS)[name]()).sections
    assert "checklist" not in [section.id for section in sections[:-1]]
