"""The command `planarium`, run as people run it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import planarium
import pytest
from planarium import _cli
from scenes import ARENA, ARENA_TASK

PNG = b"\x89PNG\r\n\x1a\n"


def planarium_command(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "planarium", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **more)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def arena(tmp_path: Path) -> Path:
    path = tmp_path / "arena.yaml"
    path.write_text(ARENA)
    path.with_name("arena.task.yaml").write_text(ARENA_TASK)
    return path


def test_lint_of_good_files(address: str, arena: Path) -> None:
    done = planarium_command(
        "lint", "--address", address, str(arena), str(arena.with_name("arena.task.yaml"))
    )
    assert done.returncode == 0, done.stdout
    assert f"{arena}: valid" in done.stdout
    assert "arena.task.yaml: valid" in done.stdout


def test_lint_names_file_line_and_column(address: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text(ARENA.replace("type: lidar2d", "type: lidar9d").replace("height: 4", "hight: 4"))
    done = planarium_command("lint", "--address", address, str(bad))
    assert done.returncode == 1
    assert re.search(
        rf"^{re.escape(str(bad))}:\d+:\d+ robot\[0\]\.sensors\[0\]\.type: .*lidar9d.*\(error\)$",
        done.stdout,
        re.MULTILINE,
    )
    assert re.search(r"hight.*height.*\(warning\)$", done.stdout, re.MULTILINE)
    assert "not usable, 1 error" in done.stdout


def test_lint_of_a_task_names_line_and_hint(address: str, arena: Path) -> None:
    task = arena.with_name("arena.task.yaml")
    task.write_text("task:\n  episode: {max_stebs: 3}\n")
    done = planarium_command("lint", "--address", address, str(task))
    assert done.returncode == 1
    assert re.search(r"arena\.task\.yaml:2:\d+ task\.episode\.max_stebs: .*max_steps.*\(error\)", done.stdout)


def test_lint_of_a_task_needs_a_world(address: str, arena: Path, tmp_path: Path) -> None:
    task = tmp_path / "elsewhere.task.yaml"
    task.write_text(arena.with_name("arena.task.yaml").read_text())
    alone = planarium_command("lint", "--address", address, str(task))
    assert alone.returncode == 1
    assert "not checked: there is no" in alone.stdout
    assert "--world" in alone.stdout
    done = planarium_command("lint", "--address", address, "--world", str(arena), str(task))
    assert done.returncode == 0, done.stdout


def test_lint_as_json(address: str, arena: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("world: {height: no}\nrobots: 3\n")
    done = planarium_command("lint", "--json", "--address", address, str(arena), str(bad), "missing.yaml")
    assert done.returncode == 1
    good, wrong, missing = json.loads(done.stdout)
    assert (good["file"], good["valid"]) == (str(arena), True)
    assert not wrong["valid"]
    first = wrong["diagnostics"][0]
    assert first["severity"] == "error"
    assert first["line"] > 0
    assert "No such file" in missing["diagnostics"][0]["message"]


def test_lint_of_what_is_no_text(address: str, tmp_path: Path) -> None:
    picture = tmp_path / "picture.yaml"
    picture.write_bytes(PNG + bytes(range(256)))
    large = tmp_path / "large.yaml"
    large.write_text("# x\n" * (1 << 20))
    done = planarium_command("lint", "--address", address, str(picture), str(large), str(tmp_path))
    assert done.returncode == 1
    assert "not UTF-8 text: byte 0" in done.stdout
    assert "limit 1048576" in done.stdout
    assert "Is a directory" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [[], ["lint"], ["lint", "--jsonn", "x"], ["fly"], ["bench", "--num-envs", "0"], ["render"]],
)
def test_wrong_usage_is_status_2(arguments: list[str]) -> None:
    done = planarium_command(*arguments)
    assert done.returncode == 2
    assert "usage: planarium" in done.stderr


def test_render(address: str, arena: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.png"
    done = planarium_command("render", str(arena), "-o", str(output), "--address", address, "--steps", "5")
    assert (done.returncode, done.stdout.strip()) == (0, str(output)), done.stderr
    assert output.read_bytes().startswith(PNG)
    done = planarium_command(
        "render", str(arena), "--width", "32", "--height", "16", "--address", address, cwd=tmp_path
    )
    assert done.stdout.strip() == "arena.png"
    assert (tmp_path / "arena.png").read_bytes()[16:24] == bytes([0, 0, 0, 32, 0, 0, 0, 16])


def test_users_mistakes_are_one_line(address: str, arena: Path) -> None:
    for arguments, text in [
        (["render", "nowhere.yaml", "--address", address], "no scenario 'nowhere.yaml'"),
        (["render", str(arena), "--width", "5", "--address", address], "width: got 5, expected 16"),
        (
            ["render", str(arena), "-o", "/nowhere/x.png", "--address", address],
            "/nowhere/x.png: No such file",
        ),
        (["bench", str(arena), "--policy", "dahs", "--address", address], "dahs"),
        (["info", "--address", "unix:/nowhere"], "no answer from the server"),
    ]:
        done = planarium_command(*arguments)
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1].startswith("planarium: ")
        assert text in done.stderr


def test_info(address: str) -> None:
    done = planarium_command("info", "--address", address)
    assert done.returncode == 0
    assert f"server    {planarium.__version__}, protocol 1.0" in done.stdout
    assert re.search(r"^observation +lidar\.ranges ", done.stdout, re.MULTILINE)
    assert (
        json.loads(planarium_command("info", "--json", "--address", address).stdout)["limits"]["chunk_bytes"]
        == 786432
    )


def test_bench(address: str, arena: Path) -> None:
    done = planarium_command("bench", str(arena), "--num-envs", "16", "--steps", "50", "--address", address)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^env steps +800 in [\d.]+ s = [\d,]+ per second$", done.stdout, re.MULTILINE)
    assert re.search(r"^success rate +[\d.]+ %$", done.stdout, re.MULTILINE)
    assert "100%" in done.stderr


def test_quickstart_starts_its_own_server_and_draws(arena: Path, tmp_path: Path) -> None:
    done = planarium_command("quickstart", str(arena), "--num-envs", "64", "--steps", "30", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for line in ("env steps", "episodes", "success rate", "collision rate"):
        assert re.search(rf"^{line} +\d", done.stdout, re.MULTILINE), done.stdout
    picture = re.search(r"^picture +(\S+)$", done.stdout, re.MULTILINE)
    assert picture is not None
    assert Path(picture[1]) == tmp_path / "planarium-arena.png"
    assert Path(picture[1]).read_bytes().startswith(PNG)
    # The bar can be seen without a terminal.
    assert "env steps: 100%" in done.stderr


def test_progress_without_tqdm(arena: Path, tmp_path: Path) -> None:
    (tmp_path / "tqdm.py").write_text("raise ImportError('not here')\n")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    done = planarium_command("bench", str(arena), "--num-envs", "4", "--steps", "40", env=environment)
    assert "100 %  160 of 160 env steps" in done.stderr


def test_serve_runs_in_the_foreground() -> None:
    command = [
        sys.executable,
        "-m",
        "planarium",
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--",
        "--log-level",
        "off",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ready = process.stdout.readline().split()
        assert ready[:2] == ["planarium", "ready"]
        assert planarium_command("info", "--address", ready[2]).returncode == 0
        process.terminate()
        assert process.wait(20) == 0


def test_keys_that_are_not_used_are_named(address: str, arena: Path) -> None:
    arena.write_text(arena.read_text().replace("goal_threshold:", "goal_treshold:", 1))
    with pytest.warns(planarium.ScenarioWarning, match=r"arena\.yaml:\d+:\d+ robot.*goal_threshold"):
        planarium.make_vec(str(arena), 2, address=address).close()
    picture = arena.with_suffix(".png")
    done = planarium_command("render", "--address", address, str(arena), "-o", str(picture))
    assert done.returncode == 0
    assert "did you mean goal_threshold" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_closed_pipe_is_no_traceback(address: str) -> None:
    command = f"{sys.executable} -m planarium info --address {address} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.startswith("client")


def test_an_interrupt_is_status_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(_cli, "info_command", interrupted)
    assert _cli.main(["info"]) == 130
    assert capsys.readouterr().err == "planarium: interrupted\n"


def test_packaged_worlds_are_valid(address: str) -> None:
    from planarium._scenario import packaged_worlds

    worlds = packaged_worlds()
    assert {"nav", "quickstart"} <= worlds.keys()
    for name, path in worlds.items():
        done = planarium_command("lint", "--address", address, str(path))
        assert done.stdout == f"{path}: valid\n", name
