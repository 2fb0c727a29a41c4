"""Beyond one machine: rows of many stores in one ClickHouse cluster, shipped and read.

`contract` says what lies there and which rows count. Owns the way there and back; refuses to be a
database of its own: what is distributed is ClickHouse's.
"""
