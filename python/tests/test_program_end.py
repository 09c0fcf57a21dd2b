"""Programs that end without waiting: their saves are finished, their failures are told, and none hangs."""

import os
import subprocess
import sys
import textwrap

import pytest

import perdure


def end_of(body, *args, timeout=60):
    """What a program that runs ``body`` leaves: exit code, stderr."""
    script = "import sys, os, threading\nimport numpy as np\nimport perdure\n" + textwrap.dedent(body)
    done = subprocess.run([sys.executable, "-c", script, *map(str, args)], capture_output=True, text=True, timeout=timeout, check=False)
    return done.returncode, done.stderr


FAILING = """
    class Failing:
        async def save(self, directory):
            async def background():
                raise RuntimeError("disk on fire\\nand more")
            return background()
        async def load(self, directory): ...
    response = perdure.save_checkpointables_async(sys.argv[1] + "/step_7", {"s": Failing()})
"""


def test_a_program_that_ends_finishes_its_saves(tmp_path):
    code, errors = end_of(
        """
        for i in range(3):
            perdure.save_async(f"{sys.argv[1]}/c{i}", {"w": np.full(2_000_000, i, np.float32)})
        """,
        tmp_path,
    )
    assert (code, errors) == (0, "")
    assert [int(perdure.load(tmp_path / f"c{i}")["w"].max()) for i in range(3)] == [0, 1, 2]


def test_a_program_that_ends_lets_handlers_finish(tmp_path):
    code, errors = end_of(
        """
        import asyncio
        class Slow:
            async def save(self, directory):
                async def background():
                    path = await directory.await_creation()
                    for _ in range(3):
                        await asyncio.to_thread(os.getpid)
                    (path / "x").write_text("done")
                return background()
            async def load(self, directory): ...
        perdure.save_checkpointables_async(sys.argv[1] + "/c", {"s": Slow()})
        """,
        tmp_path,
    )
    assert (code, errors) == (0, "")
    assert (tmp_path / "c" / "s" / "x").read_text() == "done"


def test_a_failure_that_nobody_asked_about_is_one_line_and_exit_code_1(tmp_path):
    code, errors = end_of(FAILING, tmp_path)
    assert code == 1
    assert errors.count("\n") == 1 and "step_7'" in errors and "(step 7)" in errors and "disk on fire and more" in errors
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("more, code", [("try:\n        response.result()\n    except RuntimeError:\n        pass", 0), ("sys.exit(5)", 5)])
def test_a_failure_that_was_asked_about_or_another_exit_code_stays(tmp_path, more, code):
    got, errors = end_of(FAILING + "    " + more, tmp_path)
    assert got == code and ("disk on fire" in errors) == (code != 0)


def test_a_failed_save_of_a_strategy_is_told_although_the_next_one_waited_for_it(tmp_path):
    pytest.importorskip("torch")
    code, errors = end_of(
        """
        import resource, signal
        import torch
        from perdure.recipe import TrainingStrategy
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        strategy = TrainingStrategy(torch.nn.Linear(1000, 1000))
        resource.setrlimit(resource.RLIMIT_FSIZE, (262_144, 262_144))
        strategy.save_checkpoint_async(sys.argv[1])
        try:
            strategy.save_checkpoint(sys.argv[1])
        except perdure.IoError:
            pass
        """,
        tmp_path,
    )
    assert code == 1 and errors.count("\n") == 1 and f"the save to '{tmp_path}/0'" in errors
    assert os.listdir(tmp_path) == []


def test_a_save_started_by_an_exit_function_is_finished(tmp_path):
    code, errors = end_of(
        """
        import atexit
        atexit.register(lambda: perdure.save_async(sys.argv[1] + "/c", {"w": np.arange(100_000)}))
        """,
        tmp_path,
    )
    assert (code, errors) == (0, "") and perdure.load(tmp_path / "c")["w"][-1] == 99_999


def test_a_forked_child_neither_waits_for_the_saves_of_its_parent_nor_undoes_them(tmp_path):
    code, errors = end_of(
        """
        response = perdure.save_async(sys.argv[1] + "/c", {"w": np.full(3_000_000, 1.0)})
        child = os.fork()
        if child == 0:
            try:
                response.result()
            except perdure.CheckpointError:
                perdure.save_async(sys.argv[1] + "/child", {"n": 1}).result()
                sys.exit(9)
        _, status = os.waitpid(child, 0)
        response.result()
        sys.exit(os.waitstatus_to_exitcode(status))
        """,
        tmp_path,
    )
    assert (code, errors) == (9, "") and perdure.load(tmp_path / "c")["w"][0] == 1 and perdure.load(tmp_path / "child") == {"n": 1}


@pytest.mark.parametrize("body", [
    "threading.Thread(target=lambda: (threading.main_thread().join(), start())).start()",
    "begun = threading.Event()\nthreading.Thread(target=lambda: (start(), begun.set(), threading.Event().wait()), daemon=True).start()\nbegun.wait()",
    "asyncio.run(asyncio.to_thread(start))\nstart('d')",
    "start()\nsys.exit(3)",
    "start()\nraise ValueError",
    "start()\nos.kill(os.getpid(), signal.SIGINT)",
    "response = start()\nresponse.on_complete(lambda _: start('d'))",
], ids=["thread that goes on", "daemon thread", "event loop", "sys.exit", "exception", "Ctrl-C", "callback"])  # fmt: skip
def test_however_a_program_ends_its_saves_are_finished(tmp_path, body):
    begin = """
import asyncio, signal
class Slow:
    async def save(self, directory):
        async def background():
            await asyncio.to_thread(os.getpid)
            ((await directory.await_creation()) / "x").write_text("done")
        return background()
    async def load(self, directory): ...
def start(name="c"):
    return perdure.save_checkpointables_async(sys.argv[1] + "/" + name, {"s": Slow(), "t": {"w": np.ones(300_000)}})
"""
    end_of(begin + body, tmp_path)
    assert os.listdir(tmp_path) in (["c"], ["c", "d"], ["d", "c"])
    assert all((tmp_path / name / "s" / "x").read_text() == "done" for name in os.listdir(tmp_path))


@pytest.mark.parametrize("call", ["perdure.save(sys.argv[1] + '/c', state, overwrite=True)", "perdure.load(sys.argv[1] + '/c')"])
def test_a_daemon_thread_inside_the_engine_does_not_abort_the_program(tmp_path, call):
    code, errors = end_of(
        f"""
        state = {{"w": np.zeros(300_000)}}
        perdure.save(sys.argv[1] + "/c", state)
        begun = threading.Event()
        def work():
            while True:
                begun.set()
                {call}
        threading.Thread(target=work, daemon=True).start()
        begun.wait()
        """,
        tmp_path,
    )
    assert (code, errors) == (0, "")
    assert not perdure.load(tmp_path / "c")["w"].any()


@pytest.mark.parametrize("method, ending, code", [
    ("spawn", "", 1), ("forkserver", "", 1), ("fork", "", 1),
    ("fork", "sys.exit(0)", 1), ("fork", "sys.exit(7)", 7), ("fork", "raise ValueError('mine')", 1),
])  # fmt: skip
def test_a_child_process_finishes_its_saves_and_tells_failures_by_its_exit_code(tmp_path, method, ending, code):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent("""
        import multiprocessing, sys
        import numpy as np
        import perdure
        class Failing:
            async def save(self, directory):
                async def background():
                    raise RuntimeError("disk on fire")
                return background()
            async def load(self, directory): ...
        def good(path):
            perdure.save_async(path, {"w": np.ones(300_000)})
        def bad(path):
            perdure.save_checkpointables_async(path, {"s": Failing()})
            ENDING
        if __name__ == "__main__":
            context = multiprocessing.get_context(sys.argv[2])
            children = [context.Process(target=target, args=(sys.argv[1] + "/" + target.__name__,)) for target in (good, bad)]
            for child in children:
                child.start()
            for child in children:
                child.join()
            print([child.exitcode for child in children])
    """).replace("ENDING", ending))
    (tmp_path / "out").mkdir()
    done = subprocess.run([sys.executable, program, tmp_path / "out", method], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == f"[0, {code}]\n"
    assert done.stderr.count("disk on fire") == 1 and ("mine" in done.stderr) == ("mine" in ending)
    assert os.listdir(tmp_path / "out") == ["good"] and perdure.verify(tmp_path / "out" / "good").ok
