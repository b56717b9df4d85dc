# SPDX-License-Identifier: Apache-2.0
"""What code and pages cite stands in the repository."""
import os
import re

from code_graph import ROOT, tracked

GAP = r"(?:\s|\*|#|//)+"  # a citation may go on in the next line of a comment
NUMBER = re.compile(r"(?<![\w-])([A-Z]-\d\d)(?![\w-])")
SECTION = re.compile(rf"\bDESIGN{GAP}(\d+(?:\.\d+)?)\b")
RULE = re.compile(rf"\brules?{GAP}(\d+)\b")
PAGE = re.compile(r"(?<![\w./-])((?:[\w.-]+/)*[\w-]+\.md)\b")
ROW = re.compile(r"^(?:\| *|- *|#+ *)?\**`?([A-Z]-\d\d)\b", re.MULTILINE)
HEADING = re.compile(r"^#+ (\d+(?:\.\d+)?)\b")
NUMBERED = re.compile(r"^(\d+)\. ")
# Whose rows are the numbers, and by which letters they begin.
TABLES = (("docs/requirements.md", "[^BK]"), ("docs/loader.md", "K"),
          ("docs/buffer-queue.md", "B"))
NO_TEXT = (".png", ".hex", ".expected", ".json", ".supp")


def page(name):
    path = ROOT / name
    return path.read_text() if path.is_file() else ""


def sections_and_rules(text):
    """The sections of docs/design.md, and the list of its rules: 4.3 is rule 3 of section 4."""
    sections, rules, heading = set(), set(), ""
    for line in text.splitlines():
        heading = line if line.startswith("#") else heading
        sections |= set(HEADING.findall(line))
        for rule in NUMBERED.findall(line) if heading.endswith(" Rules") else ():
            rules.add(rule)
            sections.add(f"{HEADING.match(heading)[1]}.{rule}")
    return sections, rules


def citations():
    sections, rules = sections_and_rules(page("docs/design.md"))
    numbers = {number for name, letters in TABLES for number in ROW.findall(page(name))
               if re.match(letters, number)}
    kinds = ((NUMBER, numbers, "{} is no row of docs/" + ", docs/".join(
        os.path.basename(name) for name, _ in TABLES)),
             (SECTION, sections, "docs/design.md has no section {}"),
             (RULE, rules, "docs/design.md has no rule {}"))
    names = tracked()
    files = set(names)
    for name in names:
        if name.endswith(NO_TEXT) or name == "LICENSE":
            continue
        text = (ROOT / name).read_text(errors="replace")
        for pattern, known, sentence in kinds:
            for found in pattern.finditer(text):
                if found[1] not in known:
                    yield f"{place(name, text, found)}: {sentence.format(found[1])}"
        for found in PAGE.finditer(text):
            folders = ("", "docs", os.path.dirname(name))
            places = {os.path.normpath(os.path.join(folder, found[1])) for folder in folders}
            if not places & files:
                yield f"{place(name, text, found)}: the repository has no page {found[1]}"


def place(name, text, found):
    return f"{name}:{text.count(chr(10), 0, found.start()) + 1}"
