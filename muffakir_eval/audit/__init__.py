"""The index audit: is the evidence in the index, does the retriever find it, and if not, why."""
