from __future__ import annotations

import asyncio
import threading

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.judges.judge import ModelJudge
from muffakir_eval.judges.making import make_judge
from muffakir_eval.judges.prices import Meter
from muffakir_eval.lm_retrieval.judges import JudgePool
from tests.lm_retrieval.cases import judge


def pool() -> tuple[JudgePool, list[ModelJudge]]:
    made: list[ModelJudge] = []

    def make(meter: Meter) -> ModelJudge:
        made.append(make_judge(EvaluationConfig(cache_dir=None), judge(), meter=meter))
        return made[-1]

    return JudgePool(make, Meter()), made


def test_calls_on_one_loop_share_a_judge_and_its_limits() -> None:
    judges, made = pool()

    async def main() -> None:
        async with judges.judge() as one, judges.judge() as other:
            assert one is other
            assert one.meter is judges.meter
        async with judges.judge() as later:
            assert later is one

    asyncio.run(main())
    asyncio.run(main())  # another loop, after the first has ended
    assert len(made) == 1


def test_a_loop_meanwhile_has_a_judge_of_its_own() -> None:
    judges, made = pool()
    entered, leave = threading.Event(), threading.Event()

    async def hold() -> None:
        async with judges.judge():
            entered.set()
            await asyncio.to_thread(leave.wait, 10)

    thread = threading.Thread(target=lambda: asyncio.run(hold()))
    thread.start()
    assert entered.wait(10)

    async def meanwhile() -> ModelJudge:
        async with judges.judge() as found:
            return found

    assert asyncio.run(meanwhile()) is made[1]
    leave.set()
    thread.join()
    assert asyncio.run(meanwhile()) is made[0]
    assert len(made) == 2
    assert made[0].meter is made[1].meter


def test_a_call_that_is_cancelled_while_closing_gives_its_place_back() -> None:
    judges, made = pool()
    closed = asyncio.Event()

    async def call() -> None:
        async with judges.judge():
            pass

    async def main() -> None:
        closing = asyncio.Event()

        async def forever() -> None:
            closing.set()
            await asyncio.sleep(60)

        made[0]._means.model.aclose = forever  # type: ignore[method-assign]
        task = asyncio.create_task(call())
        await closing.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

        async def at_once() -> None:
            closed.set()

        made[0]._means.model.aclose = at_once  # type: ignore[method-assign]
        await call()

    asyncio.run(call())
    asyncio.run(main())
    assert len(made) == 1
    assert closed.is_set()  # it was the last one again


def test_a_loop_that_died_in_the_midst_of_a_call_leaves_nothing_behind() -> None:
    judges, made = pool()
    loop = asyncio.new_event_loop()
    loop.run_until_complete(judges.judge().__aenter__())
    loop.close()

    async def afterwards() -> ModelJudge:
        async with judges.judge() as found:
            return found

    assert asyncio.run(afterwards()) is made[1]
