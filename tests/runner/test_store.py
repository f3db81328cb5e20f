from __future__ import annotations

from muffakir_eval.records import PipelineOutput, Sample, SampleResult
from muffakir_eval.runner import MemoryStore, Store


def test_a_store_in_memory_keeps_results_and_hands_over_their_outputs() -> None:
    store = MemoryStore()
    kept: Store = store
    sample, output = Sample(sample_id="1", question="س"), PipelineOutput(answer="ج")
    kept.append_output("a", 0, sample, output)
    assert kept.recorded.output("a") is None
    result = SampleResult(key="a", sample=sample, output=output)
    kept.append_result(result)
    assert kept.recorded.output("a") is output
    assert store.results == {"a": result}
