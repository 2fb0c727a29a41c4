"""Audits outside the page: files of labels, and what the command line prints."""
