"""Containers: one module for each form bytes arrive in, from bytes to records and rejects.

Readers here know no file system: `otlp_json` and `otlp_protobuf` take the bytes of one request or
document, `noise`, `labels` and `replay_cases` one parsed row, `json_lines` and `framing` cut a
stream into these.
"""
