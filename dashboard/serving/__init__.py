"""The process: server, receivers, who may send and look."""
