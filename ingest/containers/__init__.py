"""Containers: one module for each form bytes arrive in, from bytes to records and rejects.

Readers here know no file system: `otlp_json` and `otlp_protobuf` take the bytes of one request or
document, `noise`, `labels` and `replay_cases` one parsed row, `json_lines` and `framing` cut a
stream into these.

Foreign formats lie in `platforms`, `transcripts` and `benchmarks`. Each is a `Format` (`drafts`): a
sign by which one JSON value is known, and a reader that turns pieces (lines, items of a list, a
document: `json_values`) into drafts of spans and ground truth, ids still native. `formats` lists them
in order, `foreign` reads a file of one, `drafting` makes records.
"""
