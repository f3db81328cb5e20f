"""Settings of a pipeline: plain, the same in every process, and without secrets."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import functools
import json
import pathlib
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr

from muffakir_eval.pipelines.settings import config_of, mode_of, pipeline_name, plain, public_settings

SECRET = "TOP-SECRET-VALUE-0123456789"


class Rag:
    def __init__(self, config: Any = None) -> None:
        self.config = config

    def ask(self, question: str) -> str:
        return question

    @classmethod
    def shared(cls, question: str) -> str:
        return question

    @staticmethod
    def alone(question: str) -> str:
        return question


class Child(Rag):
    pass


def free(question: str, model: str = "") -> str:
    return question


@pytest.mark.parametrize(
    ("rag", "name"),
    [
        (free, "free"),
        (functools.partial(functools.partial(free), model="x"), "free"),
        (Rag(), "Rag"),
        (Rag().ask, "Rag.ask"),
        (Child().ask, "Child.ask"),
        (Rag.shared, "Rag.shared"),
        (Rag.alone, "Rag.alone"),
        (Rag, "Rag"),
    ],
)
def test_the_name_is_module_and_qualified_name(rag: Any, name: str) -> None:
    assert pipeline_name(rag) == f"{__name__}.{name}"


def test_a_built_in_method_has_a_name_too() -> None:
    assert pipeline_name("نص".upper) == "str.upper"


class Color(enum.Enum):
    RED = "أحمر"


@dataclasses.dataclass
class Index:
    path: pathlib.Path = pathlib.Path("index/a.db")
    password: str = SECRET
    parent: Any = None


class Model(BaseModel):
    name: str = "نموذج"
    api_key: SecretStr = SecretStr(SECRET)
    index: Any = None


def test_plain_values_stay_and_the_rest_is_named() -> None:
    value = {
        "k": 5,
        "share": 0.5,
        "nan": float("nan"),
        "on": True,
        "none": None,
        "color": Color.RED,
        Color.RED: 1,
        3: "ثلاثة",
        ("a",): "tuple as a key",
        "path": pathlib.PurePosixPath("a/b"),
        "day": datetime.date(2024, 1, 5),
        "price": decimal.Decimal("0.10"),
        "numpy": np.float32(0.5),
        "numpy_int": np.int64(3),
        "set": {"b", "a"},
        "tuple": (1, [2]),
        "function": free,
        "class": Rag,
        "object": object(),
        "dataclass": Index(password=""),
        "pydantic": Model(),
    }
    assert plain(value) == {
        "k": 5,
        "share": 0.5,
        "nan": "nan",
        "on": True,
        "none": None,
        "color": "أحمر",
        "أحمر": 1,
        "3": "ثلاثة",
        "builtins.tuple": "tuple as a key",
        "path": "a/b",
        "day": "2024-01-05",
        "price": "0.10",
        "numpy": 0.5,
        "numpy_int": 3,
        "set": ["a", "b"],
        "tuple": [1, [2]],
        "function": f"{__name__}.free",
        "class": f"{__name__}.Rag",
        "object": "builtins.object",
        "dataclass": {"path": "index/a.db", "password": "", "parent": None},
        "pydantic": {"name": "نموذج", "api_key": "pydantic.types.SecretStr", "index": None},
    }


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "apiKey",
        "OPENAI_API_KEY",
        "key",
        "token",
        "access_token",
        "client_secret",
        "password",
        "db_passwd",
        "pwd",
        "credentials",
        "Authorization",
        "auth",
        "authentication",
        "bearer",
        "cookie",
    ],
)
@pytest.mark.parametrize("value", [SECRET, [SECRET], {"value": SECRET}, (SECRET, {"deep": [SECRET]}), Color.RED])
def test_texts_under_a_secret_name_are_masked_however_deep(name: str, value: Any) -> None:
    shown = json.dumps(plain({"outer": [{name: value, "k": 5}]}), ensure_ascii=False)
    assert SECRET not in shown
    assert "أحمر" not in shown
    assert "***" in shown
    assert '"k": 5' in shown


@pytest.mark.parametrize("name", ["max_tokens", "llm_max_tokens", "top_keys"])
def test_numbers_that_are_no_secrets_stay(name: str) -> None:
    assert plain({name: 512}) == {name: 512}
    assert plain({"use_api_key": True, "api_key": None}) == {"use_api_key": True, "api_key": None}


@pytest.mark.parametrize("name", ["password", "pwd", "pin_secret", "credential"])
def test_a_numeric_password_is_masked(name: str) -> None:
    assert plain({name: 4711}) == {name: "***"}


@pytest.mark.parametrize("name", ["tokenizer", "tokenization", "keyword", "keywords", "key_phrases", "author", "query"])
def test_harmless_names_are_not_masked(name: str) -> None:
    assert plain({name: "camel"}) == {name: "camel"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"postgresql://user:{SECRET}@host:5432/db", "postgresql://user:***@host:5432/db"),
        (f"redis://:{SECRET}@host", "redis://:***@host"),
        (f"https://host/v1?api_key={SECRET}&k=5", "https://host/v1?api_key=***&k=5"),
        (f"AccountName=a;AccountKey={SECRET}", "AccountName=a;AccountKey=***"),
        (f"Bearer {SECRET}", "Bearer ***"),
        ("sk-abcdefghijklmnop1234", "***"),
        ("https://host/v1/chat?k=5", "https://host/v1/chat?k=5"),
        ("user@host:path", "user@host:path"),
    ],
)
def test_secrets_inside_texts_are_masked(text: str, shown: str) -> None:
    assert plain({"url": text}) == {"url": shown}


def test_long_texts_and_lists_are_named_by_their_digest_so_that_a_change_shows() -> None:
    prompt = "أجب عن السؤال. " * 500
    first, second = plain({"prompt": prompt}), plain({"prompt": prompt + "!"})
    assert first["prompt"].startswith("sha256:")
    assert len(first["prompt"]) == 71
    assert first != second
    assert plain(list(range(1_000))) == list(range(1_000))
    assert plain(list(range(1_001)))["items"] == 1_001
    assert plain(list(range(1_001))) != plain([*range(1_000), 7])


def test_what_contains_itself_ends() -> None:
    config: dict[str, Any] = {"k": 5}
    config["self"] = config
    config["index"] = Index(password="", parent=config)
    assert plain(config) == {
        "k": 5,
        "self": "builtins.dict",
        "index": {"path": "index/a.db", "password": "", "parent": "builtins.dict"},
    }
    deep: Any = "قاع"
    for _ in range(50):
        deep = [deep]
    assert "builtins.list" in json.dumps(plain(deep))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=3),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
        max_leaves=12,
    )
)
def test_whatever_goes_in_strict_json_comes_out_and_it_is_idempotent_in_form(value: Any) -> None:
    shown = plain(value)
    json.dumps(shown, allow_nan=False)
    assert plain(shown) == shown


def test_settings_of_every_kind_of_config() -> None:
    class Namespace:
        def __init__(self) -> None:
            self.k = 5
            self.api_key = SECRET

    assert public_settings(Rag({"k": 5, "api_key": SECRET})) == {"k": 5, "api_key": "***"}
    assert public_settings(Rag(types.SimpleNamespace(k=5))) == {"k": 5}
    assert public_settings(Rag(Namespace())) == {"k": 5, "api_key": "***"}
    assert public_settings(Rag(Index())) == {"path": "index/a.db", "password": "***", "parent": None}
    assert public_settings(Rag(Model(index=Index())))["index"]["password"] == "***"
    assert public_settings(Rag("prod")) == {"config": "prod"}
    assert public_settings(Rag(Rag)) == {"config": f"{__name__}.Rag"}
    assert public_settings(Rag().ask) == {}
    assert public_settings(Rag({"k": 3}).ask) == {"k": 3}
    assert public_settings(free) == {}


def test_what_a_partial_binds_is_a_setting() -> None:
    bound = functools.partial(functools.partial(Rag({"k": 1}).ask, "سؤال"), model="m", api_key=SECRET)
    assert public_settings(bound) == {"k": 1, "argument 0": "سؤال", "model": "m", "api_key": "***"}
    assert public_settings(functools.partial(functools.partial(free, model="a"), model="b")) == {"model": "b"}


class Hostile(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no")

    def __len__(self) -> int:
        raise RuntimeError("no")


class Broken:
    @property
    def config(self) -> Any:
        raise RuntimeError("not connected")


def test_reading_the_config_never_fails() -> None:
    assert config_of(Broken()) is None
    assert public_settings(Broken()) == {}
    assert mode_of(Broken()) is None
    assert public_settings(Rag(Hostile())) == {"config": f"{__name__}.Hostile"}
    assert mode_of(Rag(Hostile())) is None


class Mode(enum.Enum):
    RETRIEVAL = "Retrieval_Only"


@pytest.mark.parametrize(
    ("config", "mode"),
    [
        ({"pipeline_mode": "retrieval_only"}, "retrieval_only"),
        ({"pipeline_mode": " Retrieval_Only "}, "retrieval_only"),
        (types.SimpleNamespace(pipeline_mode="full_rag"), "full_rag"),
        ({"pipeline_mode": Mode.RETRIEVAL}, "retrieval_only"),
        ({"pipeline_mode": 3}, None),
        ({}, None),
        (None, None),
        ("retrieval_only", None),
    ],
)
def test_the_mode_is_read_from_the_config(config: Any, mode: str | None) -> None:
    assert mode_of(Rag(config)) == mode
