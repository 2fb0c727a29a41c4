"""The load test: agents against a faulty ticket service, and its books afterwards (S3 §5.3).

Owns the service, the agents and the figures. Needs the extra `agent`.
"""
