"""The pages: one module a page, each with `render() -> None`. No SQL, no arithmetic."""
