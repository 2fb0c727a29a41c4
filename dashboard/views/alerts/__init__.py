"""The Alerts page: incidents that go on, their evidence, who took them over, and what was before."""
