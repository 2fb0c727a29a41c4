"""The words of both sides of a change, for a reader of one language."""

import pytest

from dashboard.tuning.wording import words_of_both
from pipeline.observation import FragmentKind, ValueType
from replay_store.backtest_change import Change, Said


def said(**words: str) -> Said:
    kind, ordered = FragmentKind.FACT, tuple(sorted(words.items()))
    return Said(kind, ValueType.ENUM, "shipped", ordered, None, None, 0.98)


SHIPPED = said(en="Shipped", zh="已发货")


@pytest.mark.parametrize(
    ("before", "after", "language", "told"),
    [
        (SHIPPED, said(en="Sent", zh="已寄出"), "en", ("Shipped", "Sent")),
        (SHIPPED, said(en="Sent", zh="已寄出"), "zh", ("已发货", "已寄出")),
        (SHIPPED, said(en="Shipped", zh="已寄出"), "en", ("Shipped / 已发货", "Shipped / 已寄出")),
        (SHIPPED, said(en="Sent", zh="已发货"), "zh", ("已发货 / Shipped", "已发货 / Sent")),
        (SHIPPED, said(en="Shipped"), "en", ("Shipped / 已发货", "Shipped")),
        (SHIPPED, SHIPPED, "en", ("Shipped", "Shipped")),
        (None, SHIPPED, "en", (None, "Shipped")),
        (SHIPPED, None, "en", ("Shipped", None)),
        (said(), said(), "en", (None, None)),
    ],
)
def test_what_differs_is_told_in_a_language_in_which_it_does(
    before: Said | None, after: Said | None, language: str, told: tuple[str | None, str | None]
) -> None:
    assert words_of_both(Change("STATUS", before, after), language) == told
