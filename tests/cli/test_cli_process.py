"""The command as a process: start-up, pipes, colours, signals, encodings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest
from cli_help import OK, UNION, clean, process
from tests.clock import SLACK, untraced

HEAVY = ("rich", "httpx", "mcp", "fastmcp", "pydantic", "jsonschema_rs", "tomlkit", "anyio", "asyncio")
LIMIT = 0.3


def loaded(*args, cwd):
    code = f"import sys; from toolglot.cli.app import run; run({list(args)!r}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, env=clean(), capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in done.stderr.split()}


@pytest.mark.parametrize("args", [("--help",), ("--version",), ("chek",)])
def test_help_loads_nothing_heavy(tmp_path, args):
    assert loaded(*args, cwd=tmp_path).isdisjoint(HEAVY)


def test_a_saved_list_needs_no_http_and_no_sdk(tmp_path):
    (tmp_path / "tools.json").write_text("[]")
    assert loaded("check", "tools.json", "--allow-empty", cwd=tmp_path).isdisjoint(HEAVY[:5])


@untraced
@pytest.mark.parametrize("args", [("-c", "import toolglot.cli"), ("-m", "toolglot", "--help")])
def test_start_up_is_quick(tmp_path, args):
    def once():
        start = time.perf_counter()
        subprocess.run([sys.executable, *args], cwd=tmp_path, env=clean(), capture_output=True, check=True)
        return time.perf_counter() - start

    once()
    assert min(once() for _ in range(5)) < LIMIT * SLACK


def test_the_installed_command_is_the_same(tmp_path):
    command = os.path.join(os.path.dirname(sys.executable), "toolglot")
    if not os.path.exists(command):
        pytest.skip("the package is not installed as a command here")
    done = subprocess.run([command, "--version"], env=clean(), capture_output=True, text=True, check=True)
    assert done.stdout == process("--version", cwd=tmp_path).stdout


def test_a_closed_pipe_is_quiet(tmp_path):
    command = f"{sys.executable} -m toolglot explain | head -n 1; {sys.executable} -m toolglot targets openai | true"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=clean(), capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout == "Rules\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk_is_one_error(tmp_path):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "toolglot", "explain"], cwd=tmp_path, env=clean(),
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error: the output: ")
    assert done.stderr.count("\n") == 1


def test_without_a_stdout(tmp_path):
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m toolglot explain TG101 >&-"],
        cwd=tmp_path, env=clean(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("env", "colored"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colours(tmp_path, env, colored):
    (tmp_path / "tools.json").write_text(json.dumps([UNION]))
    done = process("check", "tools.json", cwd=tmp_path, env=env)
    assert done.returncode == 1
    assert ("\x1b[31m" in done.stdout) is colored
    broken = process("check", "no.json", cwd=tmp_path, env=env)
    assert ("\x1b[31m" in broken.stderr) is colored


def test_colours_on_a_terminal_only(tmp_path):
    pty = pytest.importorskip("pty", reason="there are no pseudo terminals here")
    (tmp_path / "tools.json").write_text(json.dumps(OK))
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "toolglot", "check", "tools.json"], cwd=tmp_path, env=clean() | {"TERM": "xterm"},
        stdout=theirs, stderr=theirs, stdin=theirs,
    )  # fmt: skip
    assert child.wait(30) == 0
    assert b"\x1b[32m" in os.read(ours, 100_000)
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_any_encoding(tmp_path, encoding):
    tool = UNION | {"name": "größe_名前"}
    (tmp_path / "tools.json").write_text(json.dumps([tool]))
    done = process("check", "tools.json", cwd=tmp_path, env={"PYTHONIOENCODING": encoding}, encoding=encoding)
    assert (done.returncode, done.stderr) == (1, "")
    assert ("größe_名前" if encoding == "utf-8" else "\\u540d\\u524d") in done.stdout


def test_ctrl_c_is_quiet_and_ends_the_server(tmp_path):
    marker = tmp_path / "server.pid"
    server = f"import os, time; open({str(marker)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    # A shell starts what runs in its background with SIGINT ignored, these tests perhaps, too.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        [sys.executable, "-m", "toolglot", "check", "--", sys.executable, "-c", server], preexec_fn=heed,
        cwd=tmp_path, env=clean(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as child:  # fmt: skip
        for _ in range(200):
            if marker.exists() and marker.read_text():
                break
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err) == (130, "", "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(marker.read_text()), 0)


def test_standard_input(tmp_path):
    done = process("check", "-", "--for", "openai", cwd=tmp_path, input=json.dumps(OK))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("-, stdin, 1 tool, ")
