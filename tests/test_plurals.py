import pytest

from tlpo.errors import UsageError
from tlpo.plurals import counted, noun


@pytest.mark.parametrize(
    ("text", "one", "many"),
    [
        *(("patients", "patient", "patients"), ("lesion", "lesion", "lesions")),
        *(("biopsies", "biopsy", "biopsies"), ("boxes", "box", "boxes")),
        *(("mass", "mass", "masses"), ("virus", "virus", "viruses"), ("ray", "ray", "rays")),
        *(("mouse/mice", "mouse", "mice"), (" slice ", "slice", "slices")),
    ],
)
def test_one_and_many(text, one, many):
    assert noun(text) == (one, many)
    assert (counted(1, *noun(text)), counted(2, *noun(text))) == (f"1 {one}", f"2 {many}")


@pytest.mark.parametrize("text", ["", " ", "/mice", "mouse/", "a\nb"])
def test_what_is_no_noun_is_refused(text):
    with pytest.raises(UsageError) as caught:
        noun(text)
    assert str(caught.value) == (
        "unit must be a word for what a row stands for.\n"
        f"You passed unit={text!r}.\n"
        "For example unit='lesions' or, if irregular, unit='mouse/mice'."
    )
