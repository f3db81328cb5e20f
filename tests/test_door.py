"""The synchronous door works everywhere and patches nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from muffakir_eval.door import run_sync


async def where() -> int:
    await asyncio.sleep(0)
    return id(asyncio.get_running_loop())


def test_it_works_in_a_script_twice_on_the_same_loop() -> None:
    assert run_sync(where) == run_sync(where)


def test_it_works_inside_a_running_loop_twice() -> None:
    async def outer() -> tuple[int, int, int]:
        return run_sync(where), run_sync(where), id(asyncio.get_running_loop())

    first, second, own = asyncio.run(outer())
    assert first == second != own


def test_it_works_from_another_thread() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(run_sync(where)))
    thread.start()
    thread.join(10)
    assert found == [run_sync(where)]


def test_an_exception_comes_out_as_it_is() -> None:
    async def fail() -> None:
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        run_sync(fail)


@pytest.mark.parametrize("raised", [SystemExit, KeyboardInterrupt])
def test_a_coroutine_that_exits_does_not_take_the_loop_along(raised: type[BaseException]) -> None:
    async def leave() -> None:
        raise raised

    before = run_sync(where)
    with pytest.raises(raised):
        run_sync(leave)
    assert run_sync(where) == before


def test_calling_it_from_inside_itself_is_an_error_and_no_deadlock() -> None:
    async def nested() -> int:
        return run_sync(where)

    with pytest.raises(RuntimeError, match="await the asynchronous one"):
        run_sync(nested)


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to this process on this system")
def test_after_an_interruption_the_loop_goes_on() -> None:
    tidied: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError as cancelled:
            tidied.append("yes")
            cancelled.add_note("3 are kept")
            raise

    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        run_sync(work)
    timer.join()
    assert (tidied, caught.value.__notes__) == (["yes"], ["3 are kept"])
    assert run_sync(where) == run_sync(where)


PROGRAM = textwrap.dedent(
    """
    import asyncio, sys
    from muffakir_eval.door import run_sync

    async def work():
        print("started", flush=True)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError as cancelled:
            await asyncio.sleep(0.05)
            print("put in order", flush=True)
            cancelled.add_note("3 are kept")
            raise

    try:
        run_sync(work)
    except KeyboardInterrupt as interrupt:
        print("interrupted", *interrupt.__notes__, flush=True)
        sys.exit(130)
    """
)


def test_ctrl_c_cancels_and_waits_until_things_are_in_order() -> None:
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True, encoding="utf-8")
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.wait(timeout=20) == 130
    assert rest == "put in order\ninterrupted 3 are kept\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_gets_a_loop_of_its_own() -> None:
    run_sync(where)
    child = os.fork()
    if child == 0:
        try:
            run_sync(where)
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


STUBBORN = textwrap.dedent(
    """
    import asyncio, sys, threading, time
    from muffakir_eval.door import run_sync

    async def work():
        print("started", flush=True)
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                print("not now", flush=True)

    try:
        run_sync(work)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(130)
    """
)


def test_a_second_ctrl_c_ends_the_waiting() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert process.stdout is not None and process.stderr is not None
    with process.stdout, process.stderr:
        for line in ("started\n", "not now\n"):
            assert process.stdout.readline() == line
            process.send_signal(signal.SIGINT)
        rest, complaints = process.stdout.read(), process.stderr.read()
    assert (process.wait(timeout=20), rest, complaints) == (130, "interrupted\n", "")


EARLY = textwrap.dedent(
    """
    import asyncio, os, signal, sys
    from muffakir_eval import door

    async def work():
        print("never", flush=True)

    def interrupted(*_):
        loop.call_soon_threadsafe = hand_over
        raise KeyboardInterrupt

    loop = door._private_loop().loop
    hand_over, loop.call_soon_threadsafe = loop.call_soon_threadsafe, interrupted
    try:
        door.run_sync(work)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    """
)


def test_a_ctrl_c_before_the_work_begins_is_waited_for_no_longer_than_needed() -> None:
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, timeout=20, check=False)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [b"interrupted"], b"")


IMPATIENT = textwrap.dedent(
    """
    import asyncio, os, random, signal, threading, time
    from muffakir_eval.door import run_sync

    async def work():
        await asyncio.sleep(0.02)

    def press(pauses):
        for pause in pauses:
            time.sleep(pause)
            os.kill(os.getpid(), signal.SIGINT)

    rng = random.Random(7)
    for _ in range(60):
        pauses = [rng.uniform(0, 0.02), rng.choice([0, 0.0001, 0.0005])]
        thread = threading.Thread(target=press, args=(pauses,))
        done = False
        while not done:
            try:
                if not thread.ident:
                    thread.start()
                run_sync(work)
                thread.join()
                done = True
            except KeyboardInterrupt:
                pass
    print("alive", flush=True)
    """
)


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a child on this system")
def test_however_often_and_fast_ctrl_c_is_pressed_the_loop_lives_on() -> None:
    done = subprocess.run([sys.executable, "-c", IMPATIENT], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"alive\n", b"")
