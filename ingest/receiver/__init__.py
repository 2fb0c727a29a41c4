"""What a receiver does with a request, whatever brought it: read, commit, answer.

Owns the meaning of OTLP requests: media types, packing, limits, partial success, and the answer only
after the commit. Refuses to know sockets: HTTP and gRPC hand in a `Request` and send an `Answer`.
"""

from ingest.receiver.admission import Admission
from ingest.receiver.answers import Answer
from ingest.receiver.handler import Handler
from ingest.receiver.request import Door, Limits, Request

__all__ = ["Admission", "Answer", "Door", "Handler", "Limits", "Request"]
