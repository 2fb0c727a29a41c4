"""Browser components of our own: plain JavaScript, no build step, text only through textContent."""
