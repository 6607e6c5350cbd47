from conftest import make_record

from pipeline.card import card
from pipeline.record import MessageVariant

BARE = """\
{id} · local/pkg tree-0123456789ab · error · ValueError

Message
bad {{x}}

Thrown at
pkg/core.py:2 in f

Source
  1 def f(x):
> 2   raise ValueError(f'bad {{x}}')
"""


def test_sections_without_content_are_absent() -> None:
    record = make_record()
    assert card(record) == BARE.format(id=record.id)


def test_every_part_of_an_explanation_is_shown() -> None:
    text = card(
        make_record(
            errorClassPublic="pkg.Bad",
            condition="x is None",
            documentation="It means this.",
            solutions=["Do", "Or do not"],
            preventionTips=["Think"],
            exampleFix="# before\na\n# after\nb",
            docsUrl="docs/page",
        )
    )
    for part in (
        "· error · pkg.Bad\n",
        "\nWhen\nx is None\n",
        "\nWhat it means\nIt means this.\n",
        "\nSolutions\n1. Do\n2. Or do not\n",
        "\nPrevention\n- Think\n",
        "\nExample fix\n# before\na\n# after\nb\n",
        "\nLinks\ndocs/page\n",
    ):
        assert part in text


def test_all_variants_are_shown() -> None:
    variants = [MessageVariant(errorMessage=text, messagePattern=text) for text in ("one", "")]
    assert "\nMessage\none\nor\n(nothing)\n" in card(make_record("one", "(?:one)?", messageVariants=variants))


def test_unknown_text_is_said_to_be_unknown() -> None:
    text = card(make_record("{e}", "(.+?)", literalLength=None, literalUnknownWhy="str of another error"))
    assert "\nMessage\nnot known from the source: str of another error\n" in text


def test_source_cannot_steer_the_terminal() -> None:
    text = card(make_record("\x1b[2Jgone\r\x9b", "x"))
    assert "\nMessage\n\\x1b[2Jgone\\x0d\\x9b\n" in text
