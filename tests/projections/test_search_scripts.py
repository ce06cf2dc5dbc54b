# ruff: noqa: RUF001 - widths are what is tested
"""Search in scripts that part no words, and in widths and ligatures (specs/projections.md P-66, P-107…P-109)."""

from __future__ import annotations

import pytest

from ledger.command import Erase, Supersede
from ledger.memory import Memory
from muniment import MemoryLedger
from projections.query import Filter
from projections.search import search
from tests.projections.house import learn
from tests.projections.test_search import texts, why


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("数据库", "数据库端口是5433"),
        ("端口", "数据库端口是5433"),
        ("口", "数据库端口是5433"),
        ("5433", "数据库端口是5433"),
        ("pnpm", "请用pnpm不要npm"),
        ('"用pnpm"', "请用pnpm不要npm"),
        ("データベース", "データベースのポート"),
        ("ﾎﾟｰﾄ", "データベースのポート"),
        ("포트", "데이터베이스 포트는"),
        ("ฐานข้อมูล", "พอร์ตของฐานข้อมูล"),
        ("ข้", "พอร์ตของฐานข้อมูล"),
        ("हिन्दी", "हिन्दी में"),
        ("миграция", "Миграция базы"),
        ("user by id", "getUserById gives null"),
        ("getUserById", "the user by id: get user by id"),
    ],
)
def test_any_script_is_found_by_any_part_of_a_word(ledger: MemoryLedger, query: str, found: str) -> None:
    """P-100."""
    learn(
        ledger,
        *(
            "数据库端口是5433",
            "请用pnpm不要npm",
            "データベースのポート",
            "데이터베이스 포트는",
            "พอร์ตของฐานข้อมูล",
        ),
        *("हिन्दी में", "हन", "Миграция базы", "getUserById gives null", "the user by id: get user by id"),
    )
    assert found in texts(search(ledger.workspace.index, query))


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("Use ｐｎｐｍ here", "ｐｎｐｍ"),
        ("Use ｐｎｐｍ here", "pnpm"),
        ("Use ｐｎｐｍ here", '"ｐｎｐｍ"'),
        ("Use pnpm here", "ｐｎｐｍ"),
        ("The port is ５４３３", "5433"),
        ("The port is ５４３３", "５４３３"),
        ("Read the ﬁle first", "file"),
        ("Read the file first", "ﬁle"),
        ("Call ｇｅｔＵｓｅｒＢｙＩｄ", "user"),
    ],
)
def test_width_and_ligatures_are_one_word(ledger: MemoryLedger, said: str, query: str) -> None:
    """P-100: text and query are taken in NFKC alike."""
    ledger.store(Memory("Something else"))
    ledger.store(Memory(said))
    assert texts(search(ledger.workspace.index, query)) == [said]


def test_a_phrase_of_characters_is_in_order(ledger: MemoryLedger) -> None:
    """P-102: as characters they are found in any order."""
    learn(ledger, "数据库端口", "端口和数据")
    assert texts(search(ledger.workspace.index, '"数据库端口"')) == ["数据库端口"]
    found = search(ledger.workspace.index, "数据库端口")
    assert texts(found) == ["数据库端口", "端口和数据"]
    assert why(found[1]) == [("characters", "数据库端口")]


def test_pieces_go_with_parts_supersedes_and_erasures(ledger: MemoryLedger) -> None:
    """P-52, P-56: of a long body in parts as well."""
    body = "".join(f"第{number}行没有什么\n" for number in range(9000)) + "最后提到斑马\n"
    long, short = learn(ledger, Memory("long", body=body), "斑马在这里")
    assert len(search(ledger.workspace.index, "斑马")) == 2
    ledger.write([Supersede((short,), Memory("长颈鹿在这里"))])
    assert texts(search(ledger.workspace.index, "斑马")) == ["long"]
    ledger.write([Erase((long,), "out", True)])
    assert search(ledger.workspace.index, "斑马", Filter(statuses=())) != []
    assert texts(search(ledger.workspace.index, "斑马")) == []
    ledger.write([Erase((short,), "out", True)])
    assert search(ledger.workspace.index, "斑马", Filter(statuses=())) == []
    for path in ledger.workspace.place.directory.glob("memory.db*"):
        assert "斑马".encode() not in path.read_bytes()
    ledger.documents.replay()
    assert ledger.upkeep.verify().sound
