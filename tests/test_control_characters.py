import pytest

from tlpo.control_characters import escape_control_characters


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, Größe 5 µm, ξ, 白, می‌خواهم", "plain text, Größe 5 µm, ξ, 白, می‌خواهم"),
        ("\x1b]0;title\x07\x1b[2J", r"\x1b]0;title\x07\x1b[2J"),
        ("a\rb\bc\x7f\t\n", r"a\rb\x08c\x7f\t\n"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202eevil\u2066\u200f\u2028", r"\u202eevil\u2066\u200f\u2028"),
        ("name-\udcff", r"name-\udcff"),  # bytes of a file name that are no text
    ],
)
def test_what_acts_on_a_terminal_is_shown_instead(text, shown):
    assert escape_control_characters(text) == shown
    assert escape_control_characters(shown) == shown
    shown.encode()


def test_line_breaks_of_a_message_are_kept():
    assert escape_control_characters("a\nb\x1b", keep="\n") == "a\nb\\x1b"
