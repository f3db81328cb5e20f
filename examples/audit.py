"""An index audit: is the evidence in the index, does the retriever find it, and if not, why? Offline, no key.

    python examples/audit.py [OUTPUT_DIR]

The corpus of the examples is broken on purpose, as indexes break in real projects: one document was never
loaded, one text was read in the wrong encoding, one passage was cut in two, and an identifier stands
twice. The audit tells of each. The retriever is BM25, which never returns more than 20 chunks here.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from muffakir_eval import BM25Retriever, RetrievedChunk, audit_index, load_corpus

HERE = Path(__file__).parent


def broken_index() -> list[RetrievedChunk]:
    """The passages of the examples, after what happens to passages on their way into an index."""
    passages = [passage for passage in load_corpus(HERE / "corpus.jsonl") if passage.metadata["subject"] != "science"]
    index = []
    for number, passage in enumerate(passages):
        if passage.chunk_id == "labour-03":  # UTF-8 that was read as Windows-1252
            index.append(replace(passage, text=passage.text.encode().decode("cp1252", "replace")))
        elif passage.chunk_id == "labour-05":  # cut in the middle of every sentence, without overlap
            words = passage.text.split()
            index += [
                replace(passage, chunk_id=f"{passage.chunk_id}-{start}", text=" ".join(words[start : start + 8]))
                for start in range(0, len(words), 8)
            ]
        elif number == 7:  # two chunks of one name
            index.append(replace(passage, chunk_id=passages[6].chunk_id))
        else:
            index.append(passage)
    return index


class Retriever:
    """Stands in for your own: anything that takes a question, and returns chunks, may be audited."""

    def __init__(self, chunks: list[RetrievedChunk]) -> None:
        self.bm25 = BM25Retriever(chunks)

    def retrieve(self, question: str, k: int = 5) -> list[RetrievedChunk]:
        """The best chunks, and 20 at the most."""
        return self.bm25.search(question, k=min(k, 20))


def main() -> None:
    """Audit, print, write the files."""
    options = argparse.ArgumentParser(description="An index audit on the example data.")
    options.add_argument("output_dir", nargs="?", default="audit_results/example")
    given = options.parse_args()

    index = broken_index()
    audit = audit_index(index, HERE / "questions.jsonl", Retriever(index), k=5, top_n=50, progress=False)
    print(audit)
    print(f"\nWritten to {audit.save(given.output_dir)}")


if __name__ == "__main__":
    main()
