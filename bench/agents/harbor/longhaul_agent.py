"""Longhaul as an installed agent of Harbor, for Terminal-Bench 2 and other datasets.

    node bench/agents/tarball.ts longhaul-agent.tar.gz
    PYTHONPATH=bench/agents/harbor harbor run -d terminal-bench@2.0 \\
        --agent-import-path longhaul_agent:LonghaulAgent \\
        --model anthropic/claude-opus-4-5 \\
        --agent-kwarg tarball=longhaul-agent.tar.gz

The agent runs in the container of the task with the sandbox `local`. Its report, `result.json`, `trajectory.json`
(ATIF) and `events.jsonl`, is in the agent's logs of the trial.
"""

import json
import os
import shlex
from pathlib import Path

from harbor.agents.installed.base import BaseInstalledAgent, with_prompt_template
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext

HERE = Path(__file__).resolve().parent
# Where Harbor collects the logs of an agent, in the container.
LOGS = "/logs/agent"
INSTALLED = "/installed-agent"
AGENT = "/opt/longhaul/bin/longhaul-agent"

# Variables with a provider's key or the address of a model. They are passed if they are set on this machine.
PASSED_ON = (
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "GEMINI_API_KEY",
    "LONGHAUL_API_KEY",
)


class LonghaulAgent(BaseInstalledAgent):
    """Runs Longhaul from a tarball that brings its own Node.js.

    Arguments (`--agent-kwarg NAME=VALUE`):
        tarball: made by `node bench/agents/tarball.ts`.
        flags: further flags of `longhaul run`, such as "--max-cost 5 --effort high".
        base_url: address of an OpenAI-compatible server.
    """

    SUPPORTS_ATIF = True

    def __init__(self, *args, tarball="longhaul-agent.tar.gz", flags="", base_url=None, **kwargs):
        super().__init__(*args, **kwargs)
        self._tarball = Path(tarball)
        self._flags = shlex.split(flags)
        if base_url is not None:
            self._flags += ["--base-url", base_url]

    @staticmethod
    def name():
        return "longhaul"

    def get_version_command(self):
        return "/opt/longhaul/bin/longhaul --version"

    async def install(self, environment: BaseEnvironment) -> None:
        if not self._tarball.is_file():
            raise RuntimeError(
                f"{self._tarball} does not exist. Make it with: node bench/agents/tarball.ts {self._tarball}"
            )
        tarball = f"{INSTALLED}/longhaul.tar.gz"
        await environment.upload_file(self._tarball, tarball)
        await environment.upload_file(HERE / "install.sh", f"{INSTALLED}/install.sh")
        await self.exec_as_root(environment, command=f"sh {INSTALLED}/install.sh {tarball}")

    @with_prompt_template
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        if not self.model_name:
            raise ValueError("Longhaul needs --model, such as anthropic/claude-opus-4-5.")
        words = [AGENT, "--out", LOGS, "--model", self.model_name, "--", *self._flags]
        # The task goes through standard input: it may be long, and may begin with a dash.
        command = f"printf %s {shlex.quote(instruction)} | {shlex.join(words)}"
        env = {name: os.environ[name] for name in PASSED_ON if os.environ.get(name)}
        await self.exec_as_agent(environment, command=command, env=env)

    def populate_context_post_run(self, context: AgentContext) -> None:
        """Reads the report. It also exists if the agent was stopped at the time limit of the task."""
        path = self.logs_dir / "result.json"
        if not path.is_file():
            return
        result = json.loads(path.read_text())
        usage = result["usage"]
        context.n_input_tokens = usage["inputTokens"]
        context.n_cache_tokens = usage["cacheReadTokens"]
        context.n_output_tokens = usage["outputTokens"]
        context.cost_usd = result["costUsd"]
        context.metadata = {
            "status": result["status"],
            "exit_code": result["exitCode"],
            "error": result["error"],
            "session_id": result["sessionId"],
            "model_calls": result["modelCalls"],
            "compactions": result["compactions"],
        }
