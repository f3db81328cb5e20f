"""The cache: what the key holds, and a file that several processes share and that may be broken."""

from __future__ import annotations

import json
import logging
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from muffakir_eval.judges.cache import CachedReply, ReplyCache, canonical_identity, reply_cache, reply_key
from muffakir_eval.judges.protocol import Prompt

IDENTITY: Mapping[str, Any] = {
    "provider": "openai",
    "model": "gpt-4o",
    "base_url": "http://127.0.0.1:1/v1",
    "parameters": {"temperature": 0.0, "max_tokens": 500},
}
PROMPT = Prompt(system="احكم", user="السؤال: ما العاصمة؟", metric="faithfulness")
REPLY = CachedReply(text='{"reason": "الجواب في السياق", "score": 1}', model="gpt-4o-2024", metric="faithfulness")


class Grounded(BaseModel):
    reason: str
    score: int


class Reordered(BaseModel):
    score: int
    reason: str


def key(
    identity: Mapping[str, Any] = IDENTITY, prompt: Prompt = PROMPT, reply: type[BaseModel] = Grounded, repeat: int = 0
) -> str:
    return reply_key(canonical_identity(identity), prompt, reply, repeat)


def rows(path: Path) -> dict[str, Any]:
    connection = sqlite3.connect(path)
    try:
        return {key: json.loads(value) for key, value in connection.execute("SELECT key, value FROM replies")}
    finally:
        connection.close()


# --- the key ---


@pytest.mark.parametrize(
    "other",
    [
        key(identity={**IDENTITY, "provider": "azure_openai"}),
        key(identity={**IDENTITY, "model": "gpt-4o-mini"}),
        key(identity={**IDENTITY, "base_url": "http://127.0.0.1:2/v1"}),
        key(identity={**IDENTITY, "base_url": None}),
        key(identity={**IDENTITY, "parameters": {"temperature": 0.5, "max_tokens": 500}}),
        key(identity={**IDENTITY, "parameters": {"temperature": 0.0, "max_tokens": 501}}),
        key(identity={**IDENTITY, "parameters": {"temperature": 0.0}}),
        key(identity={**IDENTITY, "parameters": {"temperature": None, "max_tokens": 500}}),
        key(prompt=Prompt(system="احكم.", user=PROMPT.user, metric=PROMPT.metric)),
        key(prompt=Prompt(system=PROMPT.system, user="السؤال: ما العاصمة ؟", metric=PROMPT.metric)),
        key(prompt=Prompt(system=PROMPT.system + PROMPT.user, user="", metric=PROMPT.metric)),
        key(reply=Reordered),
        key(repeat=1),
    ],
)
def test_what_changes_a_reply_changes_the_key(other: str) -> None:
    assert other != key()


def test_what_does_not_change_a_reply_does_not_change_the_key() -> None:
    shuffled = {
        "parameters": {"max_tokens": 500, "temperature": 0.0},
        **{name: IDENTITY[name] for name in ("base_url", "model", "provider")},
    }
    assert key(identity=shuffled) == key()
    assert key(prompt=Prompt(system=PROMPT.system, user=PROMPT.user, metric="answer_relevancy")) == key()
    assert len(key()) == 64
    assert set(key()) <= set("0123456789abcdef")


def test_the_key_is_the_same_in_another_process_and_next_year() -> None:
    class Reply(BaseModel):
        score: int

    prompt = Prompt(system="s", user="u", metric="m")
    assert reply_key(canonical_identity({"model": "a"}), prompt, Reply, 0) == (
        "841a9e9271c3e889ae275715bca44d0e948a55c115016bcb65420fb4f46844d4"
    )


@given(st.text(st.characters(codec=None), max_size=20), st.text(st.characters(codec=None), max_size=20))
@settings(max_examples=60)
def test_texts_never_run_into_each_other(system: str, user: str) -> None:
    one = key(prompt=Prompt(system=system, user=user, metric="m"))
    other = key(prompt=Prompt(system=system + user, user="", metric="m"))
    assert (one == other) == (user == "")


# --- keeping ---


def test_what_was_put_is_got_by_the_next_run(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "new" / "folder")
    assert cache.get(key()) is None
    cache.put(key(), REPLY)
    assert cache.get(key()) == REPLY
    cache.close()
    cache.close()
    again = ReplyCache(tmp_path / "new" / "folder")
    assert again.get(key()) == REPLY
    assert again.get(key(repeat=1)) is None
    again.close()


def test_nothing_is_made_before_the_first_use(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "cache")
    cache.close()
    assert not (tmp_path / "cache").exists()


def test_the_file_can_be_read_by_people_and_holds_no_prompt(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    cache.put(key(), REPLY)
    cache.close()
    kept = {"text": REPLY.text, "model": "gpt-4o-2024", "metric": "faithfulness", "notes": []}
    assert rows(cache.path) == {key(): kept}
    assert "الجواب في السياق".encode() in cache.path.read_bytes()
    assert PROMPT.user.encode() not in cache.path.read_bytes()


@pytest.mark.parametrize("text", ["half a pair \ud83d", "nul \x00", "\u2028", "", "٤"])
def test_every_text_comes_back(tmp_path: Path, text: str) -> None:
    cache = ReplyCache(tmp_path)
    cache.put("k", CachedReply(text=text))
    assert cache.get("k") == CachedReply(text=text)
    cache.close()


@pytest.mark.parametrize("value", ["{", "[1]", '{"text": 5}', '{"reply": "x"}', "null"])
def test_a_row_that_is_none_of_ours_is_asked_for_anew(tmp_path: Path, value: str) -> None:
    cache = ReplyCache(tmp_path)
    cache.put("k", REPLY)
    cache.close()
    connection = sqlite3.connect(cache.path, isolation_level=None)
    connection.execute("UPDATE replies SET value = ?", (value,))
    connection.close()
    assert cache.get("k") is None
    cache.put("k", REPLY)
    assert cache.get("k") == REPLY
    cache.close()


def test_the_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert reply_cache(None) is None
    named, users = reply_cache(str(tmp_path / "here")), reply_cache("auto")
    assert named is not None
    assert users is not None
    assert named.path.parent == tmp_path / "here"
    assert users.path.parent.name == "muffakir-eval"


# --- together ---

WRITER = """
import sys
from muffakir_eval.judges.cache import CachedReply, ReplyCache
cache = ReplyCache(sys.argv[1])
sys.stdin.readline()
for number in range(200):
    cache.put(f"{sys.argv[2]}-{number}", CachedReply(text=sys.argv[2]))
    cache.put(f"common-{number}", CachedReply(text="both"))
    assert cache.get(f"common-{number}") == CachedReply(text="both")
cache.close()
"""


def test_two_processes_write_at_once_and_make_the_file_at_once(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "cache"), name],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        _, said = writer.communicate(timeout=60)
        assert (writer.returncode, said) == (0, "")
    assert len(rows(tmp_path / "cache" / "judge-replies.sqlite3")) == 600


def test_a_killed_writer_leaves_all_that_it_had_put(tmp_path: Path) -> None:
    program = WRITER.replace("cache.close()", "print('done', flush=True); sys.stdin.readline()")
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path), "one"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
        assert writer.stdout.readline() == "done\n"
        writer.kill()
    assert len(rows(tmp_path / "judge-replies.sqlite3")) == 400


def test_threads_share_one_cache(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    wrong: list[str] = []

    def work(name: str) -> None:
        for number in range(50):
            cache.put(f"{name}-{number}", CachedReply(text=name))
            if cache.get(f"{name}-{number}") != CachedReply(text=name):
                wrong.append(f"{name}-{number}")

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    cache.close()
    assert len(rows(cache.path)) == 200


# --- broken ---


def check_useless(cache: ReplyCache, caplog: pytest.LogCaptureFixture, said: str) -> None:
    """Neither looked up nor kept, with one warning."""
    with caplog.at_level(logging.WARNING, "muffakir_eval"):
        for _ in range(2):
            cache.put("k", REPLY)
            assert cache.get("k") is None
    assert len(caplog.messages) == 1
    assert said in caplog.messages[0]
    assert str(cache.path) in caplog.messages[0]
    cache.close()


def test_a_damaged_file_is_a_warning_and_stays_as_it_is(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = ReplyCache(tmp_path)
    damaged = b"this is no database, but perhaps somebody's only copy of something" * 100
    cache.path.write_bytes(damaged)
    check_useless(cache, caplog, "the file is damaged")
    assert cache.path.read_bytes() == damaged


@pytest.mark.parametrize("first", ["put", "get"])
def test_a_file_damaged_inside_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture, first: str) -> None:
    cache = ReplyCache(tmp_path)
    for number in range(200):
        cache.put(f"{number}", REPLY)
    cache.close()
    content = bytearray(cache.path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)  # the schema is sound, the rows are not
    cache.path.write_bytes(content)
    if first == "get":
        assert cache.get("5") is None
    check_useless(cache, caplog, "malformed")


def test_a_database_of_something_else_is_not_touched(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = ReplyCache(tmp_path)
    connection = sqlite3.connect(cache.path)
    connection.execute("CREATE TABLE contacts (name TEXT)")
    connection.commit()
    connection.close()
    before = cache.path.read_bytes()
    check_useless(cache, caplog, "it is no cache of version 1")
    assert cache.path.read_bytes() == before


def test_a_later_version_is_not_touched(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = ReplyCache(tmp_path)
    cache.put("k", REPLY)
    cache.close()
    connection = sqlite3.connect(cache.path)
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    check_useless(cache, caplog, "but of 7")


def test_a_folder_that_cannot_be_made(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("a file", encoding="utf-8")
    check_useless(ReplyCache(tmp_path / "file"), caplog, "its folder cannot be made")


def test_a_folder_in_the_place_of_the_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = ReplyCache(tmp_path)
    cache.path.mkdir()
    check_useless(cache, caplog, "unable to open database file")


def test_locked_from_the_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("muffakir_eval.judges.cache._PATIENCE_MS", 10)
    cache = ReplyCache(tmp_path)
    other = sqlite3.connect(cache.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    check_useless(cache, caplog, "locked")
    other.close()


def test_locked_for_a_while(tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muffakir_eval.judges.cache._PATIENCE_MS", 10)
    cache = ReplyCache(tmp_path)
    cache.put("before", REPLY)
    other = sqlite3.connect(cache.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    for number in range(3):
        cache.put(f"{number}", REPLY)
    assert cache.get("before") == REPLY  # reading goes on beside a writer
    other.execute("COMMIT")
    cache.put("after", REPLY)
    assert cache.get("after") == REPLY
    assert cache.get("0") is None
    assert len(caplog.messages) == 1
    assert "another program keeps it locked" in caplog.messages[0]
    other.close()
    cache.close()


def test_what_is_there_can_be_read_when_nothing_can_be_added(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = ReplyCache(tmp_path)
    cache.put("k", REPLY)
    cache.close()
    connection = sqlite3.connect(cache.path, isolation_level=None)
    connection.execute("CREATE TRIGGER full BEFORE INSERT ON replies BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    connection.close()
    for _ in range(2):
        cache.put("other", REPLY)
        assert cache.get("other") is None
        assert cache.get("k") == REPLY
    assert len(caplog.messages) == 1
    assert "new replies cannot be kept (disk is full)" in caplog.messages[0]
    cache.close()
