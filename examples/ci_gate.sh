#!/usr/bin/env bash
# A gate for CI with the commands alone. Exit codes: 0 good, 1 below a limit, 2 wrong use, 3 too little measured, 4 stopped early.
#   bash examples/ci_gate.sh [OUTPUT_DIR]
set -euo pipefail
out=${1:-eval_results/ci_gate}
here=$(cd "$(dirname "$0")" && pwd)

muffakir-eval run "$here/questions.jsonl" --retriever bm25 --corpus "$here/corpus.jsonl" --rechunk 60 \
    --metrics recall,mrr,hit_rate --output-dir "$out" --quiet
muffakir-eval gate "$out" --min recall_at_k=0.6 --min hit_rate=0.6 --max pipeline_error_rate=0 --junit "$out/gate.xml"
