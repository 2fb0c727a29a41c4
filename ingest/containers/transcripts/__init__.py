"""Transcripts: sessions that agents and frameworks write down as messages and events."""
