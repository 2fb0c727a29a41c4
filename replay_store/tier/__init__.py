"""Old days beside the store, in Parquet files: moved, read where they are, brought back."""
