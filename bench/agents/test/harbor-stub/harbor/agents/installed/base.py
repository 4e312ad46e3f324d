"""Stands in for Harbor in tests: the part of its public interface that an installed agent uses."""

import functools
from abc import ABC, abstractmethod


def with_prompt_template(function):
    @functools.wraps(function)
    async def wrapper(self, instruction, *args, **kwargs):
        return await function(self, instruction, *args, **kwargs)

    return wrapper


class BaseInstalledAgent(ABC):
    def __init__(self, logs_dir, model_name=None, **kwargs):
        if kwargs:
            raise TypeError(f"unknown arguments: {sorted(kwargs)}")
        self.logs_dir = logs_dir
        self.model_name = model_name
        self._version = None

    @staticmethod
    @abstractmethod
    def name(): ...

    @abstractmethod
    async def install(self, environment): ...

    @abstractmethod
    async def run(self, instruction, environment, context): ...

    @abstractmethod
    def populate_context_post_run(self, context): ...

    async def setup(self, environment):
        await environment.exec(command="mkdir -p /installed-agent", user="root")
        await self.install(environment)
        code, output = await environment.exec(command=self.get_version_command())
        self._version = output.strip() if code == 0 else None

    async def exec_as_root(self, environment, command, env=None):
        return await self._checked(environment, command, env, "root")

    async def exec_as_agent(self, environment, command, env=None):
        return await self._checked(environment, command, env, None)

    async def _checked(self, environment, command, env, user):
        code, output = await environment.exec(command=f"set -o pipefail; {command}", user=user, env=env)
        if code != 0:
            raise RuntimeError(f"exit {code}: {command}\n{output[-2000:]}")
        return output
