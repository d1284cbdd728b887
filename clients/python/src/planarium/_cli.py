"""The command ``planarium``.

Exit statuses: 0 all well, 1 something went wrong or a linted file has errors, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from planarium._errors import PlanariumError
from planarium._types import Diagnostic
from planarium._version import __version__

Command = Callable[[argparse.Namespace], int]


def _say(text: str) -> None:
    print(text, flush=True)


def serve_command(arguments: argparse.Namespace) -> int:
    """Becomes a server in the foreground; flags after ``--`` are the server's own."""
    from planarium._binary import find_server

    binary = str(find_server())
    command = [binary]
    if arguments.listen:
        command += ["--listen", arguments.listen]
    if arguments.threads:
        command += ["--threads", str(arguments.threads)]
    sys.stdout.flush()
    os.execv(binary, [*command, *arguments.options])


def lint_command(arguments: argparse.Namespace) -> int:
    """Findings of world and task files; 1 when one of them has errors."""
    from planarium._client import Client
    from planarium._lint import lint_file

    with Client(arguments.address) as client:
        reports = [(name, *lint_file(client, name, arguments.world)) for name in arguments.files]
    if arguments.json:
        _say(json.dumps([_json_report(*report) for report in reports], indent=2))
    else:
        for name, valid, findings in reports:
            _print_report(name, valid, findings)
    return 0 if all(valid for _, valid, _ in reports) else 1


def _json_report(name: str, valid: bool, findings: Sequence[Diagnostic]) -> dict[str, object]:
    return {"file": name, "valid": valid, "diagnostics": [dataclasses.asdict(f) for f in findings]}


def _print_report(name: str, valid: bool, findings: Sequence[Diagnostic]) -> None:
    for finding in findings:
        _say(str(finding))
    kinds = [finding.severity for finding in findings]
    counts = [(kinds.count(kind), kind) for kind in ("error", "warning", "note")]
    summary = ", ".join(f"{n} {kind}{'s' if n != 1 else ''}" for n, kind in counts if n)
    _say(f"{name}: {'valid' if valid else 'not usable'}{', ' + summary if summary else ''}")


def render_command(arguments: argparse.Namespace) -> int:
    """Picture of a freshly reset world, or of one some steps later."""
    from planarium._open import open_batch

    with open_batch(
        arguments.file, 1, task=arguments.task, seed=arguments.seed, address=arguments.address
    ) as batch:
        batch.reset()
        for _ in range(arguments.steps):
            batch.step(policy=arguments.policy)
        png = batch.client.render_png(
            batch.spec.batch_id,
            0,
            width=arguments.width,
            height=arguments.height,
            lidar=not arguments.hide_lidar,
        )
    output = Path(arguments.output or Path(arguments.file).with_suffix(".png").name)
    output.write_bytes(png)
    _say(str(output))
    return 0


def info_command(arguments: argparse.Namespace) -> int:
    """What the client, and the server it would use, can do."""
    from planarium._client import Client

    with Client(arguments.address) as client:
        info = client.info()
        batches = client.list_batches()
    if arguments.json:
        _say(json.dumps(dataclasses.asdict(info), indent=2))
        return 0
    major, minor = info.protocol
    _say(f"client    {__version__}")
    _say(f"server    {info.version}, protocol {major}.{minor}, at {client.address}")
    _say(f"threads   {info.threads}")
    _say(f"rays      {info.ray_kernel}")
    _say(f"floats    {info.floating_point}")
    _say(f"features  {', '.join(info.features) or 'none'}")
    for name, value in info.limits.items():
        _say(f"limit     {name} = {value:g}" if isinstance(value, float) else f"limit     {name} = {value}")
    for batch in batches:
        _say(f"batch     {batch.batch_id}: {batch.num_envs} worlds, {batch.owner or 'no owner'}")
    for entry in info.catalogue:
        _say(f"{entry.kind:<12}{entry.name:<26}{entry.doc}")
    return 0


def bench_command(arguments: argparse.Namespace) -> int:
    """Steps per second."""
    from planarium._bench import bench

    return bench(arguments)


def quickstart_command(arguments: argparse.Namespace) -> int:
    """The tour behind scripts/quickstart."""
    from planarium._bench import quickstart

    return quickstart(arguments)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"got {value}, expected at least 1")
    return value


def _natural(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"got {value}, expected at least 0")
    return value


def _add_worlds(parser: argparse.ArgumentParser, steps: int) -> None:
    parser.add_argument("--task", metavar="FILE", help="task file or preset (default: the file's own)")
    parser.add_argument("--num-envs", type=_positive, default=1024, metavar="N", help="worlds (1024)")
    parser.add_argument("--steps", type=_positive, default=steps, metavar="K", help=f"steps ({steps})")
    parser.add_argument("--threads", type=_natural, default=0, metavar="T", help="0: the server's default")
    parser.add_argument("--policy", default="dash", metavar="NAME", help="built-in behavior (dash)")
    parser.add_argument("--seed", type=_natural, default=0, metavar="S", help="root seed (0)")


def _add_lint(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    lint = commands.add_parser("lint", help="check world and task files")
    lint.add_argument("files", nargs="+", metavar="FILE", help="world file, or task file NAME.task.yaml")
    lint.add_argument(
        "--world", metavar="FILE", help="world that task files are judged with (default: NAME.yaml beside it)"
    )
    lint.add_argument("--json", action="store_true", help="findings as JSON")
    lint.set_defaults(run=lint_command)


def _add_render(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    render = commands.add_parser("render", help="draw a world into a PNG file")
    render.add_argument("file", metavar="FILE", help="world file, or the name of a packaged world")
    render.add_argument("-o", "--output", metavar="PNG", help="default: the file's name with .png")
    render.add_argument("--task", metavar="FILE")
    render.add_argument("--seed", type=_natural, default=0, metavar="S")
    render.add_argument("--steps", type=_natural, default=0, metavar="K", help="steps before the picture")
    render.add_argument("--policy", default="dash", metavar="NAME", help="who steers in them (dash)")
    render.add_argument("--width", type=_natural, default=0, metavar="PX", help="16 to 4096 (640)")
    render.add_argument("--height", type=_natural, default=0, metavar="PX", help="16 to 4096 (640)")
    render.add_argument("--hide-lidar", action="store_true", help="without beams")
    render.set_defaults(run=render_command)


def _add_serve(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    serve = commands.add_parser("serve", help="run a server in the foreground")
    serve.add_argument("--listen", metavar="ADDRESS", help="unix:PATH or HOST:PORT")
    serve.add_argument("--threads", type=_natural, default=0, metavar="T", help="per batch; 0: all")
    serve.add_argument("options", nargs="*", metavar="-- OPTION", help="more flags of planarium-server")
    serve.set_defaults(run=serve_command)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("planarium", description="Batched 2D robot worlds over gRPC.")
    parser.add_argument("--version", action="version", version=f"planarium {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_serve(commands)
    bench = commands.add_parser("bench", help="measure env steps per second")
    bench.add_argument("file", nargs="?", default="quickstart", metavar="FILE")
    _add_worlds(bench, 500)
    bench.set_defaults(run=bench_command)
    _add_lint(commands)
    _add_render(commands)
    info = commands.add_parser("info", help="version, limits and catalogue of the server")
    info.add_argument("--json", action="store_true")
    info.set_defaults(run=info_command)
    tour = commands.add_parser("quickstart", help="step 1024 worlds and draw one")
    tour.add_argument(
        "file", nargs="?", default="quickstart", metavar="FILE", help="default: a packaged world"
    )
    _add_worlds(tour, 200)
    tour.add_argument("-o", "--output", metavar="PNG", help="default: planarium-NAME.png")
    tour.set_defaults(run=quickstart_command)
    for name, command in commands.choices.items():
        if name != "serve":
            command.add_argument("--address", metavar="ADDRESS", help="of a server (default: a local one)")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit status."""
    arguments = _parser().parse_args(argv)
    warnings.showwarning = lambda message, *_, **__: print(f"planarium: {message}", file=sys.stderr)
    run: Command = arguments.run
    try:
        return run(arguments)
    except PlanariumError as error:
        print(f"planarium: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # the reader of our output has left
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        print(f"planarium: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("planarium: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
