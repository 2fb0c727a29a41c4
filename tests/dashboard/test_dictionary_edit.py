"""An entry of a dictionary is changed in its text, and nothing else is."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.errors import DictionaryEditError
from dashboard.views.dictionaries.edit import Place, edited
from dashboard.views.dictionaries.yaml_text import Meaning, Synonym
from pipeline.observation import RuleFileError, RuleSet, load_rules, package_rule_texts
from pipeline.observation.rules import EnumRule

ORDER = "order_status.yaml"
STATUS = Place(ORDER, "status")
REFUNDING = Meaning("refunding", {"zh": "退款中", "en": "Refunding"})
HEAD = "name: t\noutput_schema:\n"
BLOCK = """\
  - name: other
    type: enum
    mapping: {x: X}
  - name: status
    type: enum
    values:
      - pending  # first
      - shipped
    mapping:
      pending:  # waits
        zh: 待支付
        en: |
          Awaiting
          payment
      shipped: 已发货   # words for every language
    # about what follows
    confidence: 0.98
"""
FLOW = "  - {name: status, type: enum, values: [pending, 'shipped'], mapping: {pending: 待支付}}  # one\n"
LAYOUTS = {
    "block": HEAD + BLOCK,
    "flow": HEAD + FLOW,
    "no end of line": (HEAD + FLOW).rstrip("\n").removesuffix("  # one"),
    "windows": (HEAD + BLOCK).replace("\n", "\r\n"),
    "dashes at the margin": (HEAD + BLOCK).replace("\n  ", "\n"),
    "values only": HEAD + "  - name: status\n    type: enum\n    values: [pending, shipped]\n",
    "mapping only": HEAD
    + "  - name: status\n    type: enum\n    mapping:\n      pending: A\n      shipped: B\n",
    "several lines of flow": HEAD
    + "  - name: status\n    type: enum\n    values: [\n      pending, # a\n      shipped, # b\n    ]\n",
    "empty mapping": HEAD
    + "  - name: status\n    type: enum\n    values: [pending, shipped]\n    mapping: {}\n",
}


def dictionary(rules: RuleSet, field: str = "status") -> EnumRule:
    [found] = [r.enum for tool in rules.tools for r in tool.fields if r.name == field and r.enum]
    return found


def changed_lines(old: str, new: str) -> list[str]:
    diff = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    return [line for line in diff if line[0] in "+-" and not line.startswith(("+++", "---"))]


def test_a_new_code_is_two_lines_of_the_package_s_own_file() -> None:
    texts = package_rule_texts()

    after = edited(texts, STATUS, REFUNDING)

    assert {name for name in texts if texts[name] != after[name]} == {ORDER}
    assert changed_lines(texts[ORDER], after[ORDER]) == [
        "-    values: [pending, shipped, delivered, cancelled]",
        "+    values: [pending, shipped, delivered, cancelled, refunding]",
        "+      refunding: {zh: 退款中, en: Refunding}",
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "edit",
    [
        REFUNDING,
        Meaning("pending", {"zh": "等待付款"}),
        Meaning("shipped", {"zh": "已寄出", "en": "Sent"}),
        Synonym("SHIPPED", "shipped"),
        Meaning("no", {"zh": "否"}),
        Meaning("3", {"zh": "三: {a}, [b] # c"}),
        Meaning('a "quoted": value\n\x85', {"en": "'"}),
    ],
    ids=str,
)
def test_every_layout_takes_every_edit_and_keeps_its_comments(
    layout: str, edit: Meaning | Synonym
) -> None:
    texts = {"t.yaml": LAYOUTS[layout]}
    before = dictionary(load_rules(texts))

    after = edited(texts, Place("t.yaml", "status"), edit)

    now = dictionary(load_rules(after))
    raw = edit.raw
    assert now.codes == {**before.codes, raw: raw if isinstance(edit, Meaning) else edit.code}
    words = {raw: tuple(sorted(edit.words.items()))} if isinstance(edit, Meaning) else {}
    assert now.words == {**before.words, **words}
    kept = [word for word in texts["t.yaml"].split() if word in ("first", "about", "a", "b")]
    assert [word for word in after["t.yaml"].split() if word in kept][: len(kept)] == kept


@given(
    raw=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
    word=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    layout=st.sampled_from(sorted(LAYOUTS)),
)
def test_any_text_reads_back_as_itself(raw: str, word: str, layout: str) -> None:
    texts = {"t.yaml": LAYOUTS[layout]}

    after = edited(texts, Place("t.yaml", "status"), Meaning(raw, {"zh": word}))

    assert dictionary(load_rules(after)).words[raw] == (("zh", word),)


def test_edits_add_up() -> None:
    once = edited(package_rule_texts(), STATUS, REFUNDING)
    twice = edited(once, STATUS, Synonym("REFUNDING", "refunding"))
    thrice = edited(twice, STATUS, Synonym("Shipped", "shipped"))

    codes = dictionary(load_rules({ORDER: thrice[ORDER], "domain.yaml": thrice["domain.yaml"]}))
    assert codes.codes["REFUNDING"] == "refunding"
    assert codes.codes["Shipped"] == "shipped"
    assert len(changed_lines(package_rule_texts()[ORDER], thrice[ORDER])) == 4


@pytest.mark.parametrize(
    ("place", "edit", "error", "says"),
    [
        (Place(ORDER, "user_id"), REFUNDING, DictionaryEditError, "choose another field"),
        (Place("none.yaml", "status"), REFUNDING, DictionaryEditError, "choose another field"),
        (STATUS, Synonym("x", "nothing"), RuleFileError, "not among the values"),
        (STATUS, Synonym("shipped", "pending"), DictionaryEditError, "change the file as YAML"),
        (STATUS, Meaning("", {"zh": "x"}), RuleFileError, ORDER),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_to_do(
    place: Place, edit: Meaning | Synonym, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        edited(package_rule_texts(), place, edit)
