"""Runs one trial of an installed agent as Harbor does, in a root made with bwrap.

Usage: run_trial.py ROOT TARBALL MODEL BASE_URL FLAGS, with the task on standard input. ROOT has the folders `installed`, `opt`, `logs` and `app`.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from harbor.models.agent.context import AgentContext
from longhaul_agent import LonghaulAgent

ROOT, TARBALL, MODEL, BASE_URL, FLAGS = sys.argv[1:]
PLACES = {"installed": "/installed-agent", "opt": "/opt", "logs": "/logs/agent", "app": "/app", "root": "/root"}


class Bubblewrap:
    async def exec(self, command, user=None, env=None):
        words = ["bwrap"]
        for path in ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc"):
            if os.path.exists(path):
                words += ["--ro-bind", path, path]
        if os.path.exists("/usr/bin/node"):
            words += ["--ro-bind", "/dev/null", "/usr/bin/node"]
        words += ["--tmpfs", "/tmp", "--dev-bind", "/dev", "/dev", "--bind", "/proc", "/proc"]
        for name, place in PLACES.items():
            words += ["--bind", f"{ROOT}/{name}", place]
        words += ["--clearenv", "--setenv", "HOME", "/root", "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin"]
        for name, value in (env or {}).items():
            words += ["--setenv", name, value]
        ended = subprocess.run(
            words + ["--chdir", "/app", "bash", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return ended.returncode, ended.stdout

    async def upload_file(self, source, target):
        assert str(target).startswith("/installed-agent/")
        shutil.copy(source, f"{ROOT}/installed/{Path(target).name}")


async def main():
    agent = LonghaulAgent(
        logs_dir=Path(ROOT) / "logs", model_name=MODEL, tarball=TARBALL, base_url=BASE_URL, flags=FLAGS
    )
    environment, context = Bubblewrap(), AgentContext()
    failure = None
    await agent.setup(environment)
    try:
        await agent.run(sys.stdin.read(), environment, context)
    except RuntimeError as error:
        failure = str(error)
    agent.populate_context_post_run(context)
    names = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd", "metadata")
    report = {name: getattr(context, name) for name in names}
    print(json.dumps({"agent": agent.name(), "version": agent._version, "failure": failure, **report}))


asyncio.run(main())
