"""Objects that remember how they are written."""

import tracemalloc

import orjson

from replay_store.json_object import JsonObject, json_text


def test_the_text_is_sorted_and_outlives_the_values() -> None:
    value = JsonObject({"b": 1, "a": "x"})
    assert value == {"a": "x", "b": 1}
    value.forget_values()
    assert value == {}
    assert json_text(value) == value.text == b'{"a":"x","b":1}'


def test_a_text_takes_as_much_memory_as_it_is_long() -> None:
    texts = {str(number): "x" * 10_000 for number in range(10)}
    tracemalloc.start()
    try:
        kept = [JsonObject(texts) for _ in range(20)]
        n_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert n_bytes < 1.5 * len(kept) * len(orjson.dumps(texts))
