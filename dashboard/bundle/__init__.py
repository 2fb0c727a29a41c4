"""An incident to take away: one trace as one HTML file that needs nothing else, and as JSON.

Owns what is in it and what is not: raw outputs and debug prompts are withheld as from anybody
elsewhere, and what looks personal or secret is taken out once more, whatever the store keeps.
"""

from dashboard.bundle.contents import MAX_SPANS, Bundle, bundle_of
from dashboard.bundle.files import bundle_html, bundle_json

__all__ = ["MAX_SPANS", "Bundle", "bundle_html", "bundle_json", "bundle_of"]
