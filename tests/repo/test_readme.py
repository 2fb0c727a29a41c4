"""The README says what the code says."""

from pathlib import Path

from metrics.definitions import DEFINITIONS

ROOT = Path(__file__).parents[2]
BEGIN, END = "<!-- metrics:begin -->\n", "<!-- metrics:end -->"


def metric_table() -> str:
    rows = [
        "| metric | formula | denominator | no value when | source |",
        "| --- | --- | --- | --- | --- |",
    ]
    rows += [
        f"| **{item.name.en}** {item.name.zh} | {item.formula.en} | {item.denominator.en} "
        f"| {item.empty.en} | {item.source} |"
        for item in DEFINITIONS
    ]
    return "\n".join(rows) + "\n"


def test_the_metric_table_is_the_one_of_the_definitions() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    written = readme[readme.index(BEGIN) + len(BEGIN) : readme.index(END)]
    assert written == metric_table(), f"put this between the markers:\n\n{metric_table()}"


def test_the_picture_in_the_readme_is_there() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    picture = readme.split("](", 1)[1].split(")", 1)[0]
    assert (ROOT / picture).stat().st_size > 10_000
