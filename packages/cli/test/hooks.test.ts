import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HookConfig, loadConfig } from '@longhaul/config';
import { answer, calls, playedDriver, testRun } from '@longhaul/testing/doubles';
import { createTools } from '@longhaul/tools';
import { expect, it, onTestFinished } from 'vitest';
import { commandHooks } from '../src/hooks/command-hooks.ts';
import { openLocalSandbox } from './local-sandbox.ts';

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'longhaul-hooks-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Runs the model's calls with hooks that are commands. */
async function runWith(hooks: Record<string, HookConfig>, answers: Parameters<typeof playedDriver>[0]) {
  const root = await folder();
  let hosts = 0;
  const made = commandHooks({
    hooks,
    async openHost() {
      hosts += 1;
      return await openLocalSandbox(root);
    },
  });
  const test = await testRun(playedDriver([...answers, answer('Done.')]), createTools(), {
    openSandbox: () => openLocalSandbox(root),
    hooksFor: async () => made,
  });
  const result = await test.run('one');
  const parts = (await test.messages()).flatMap((message) => message.parts);
  const tools = parts.filter((part) => part.type === 'tool');
  const warnings = test.of('context:warning').map(({ message }) => message);
  const read = (name: string) => readFile(join(root, name), 'utf8');
  return { root, result, tools, warnings, read, hosts };
}

const bash = (command: string) => calls({ callId: 'a', name: 'bash', input: { command } });
const write = calls({ callId: 'w', name: 'write', input: { path: 'a.txt', content: 'x' } });

it('gives a command the fields of Claude Code, and its folder', async () => {
  const { read, root } = await runWith(
    { log: { on: 'tool.before', command: 'cat > payload.json; echo "$CLAUDE_PROJECT_DIR" > folder.txt' } },
    [write],
  );
  const payload = JSON.parse(await read('payload.json'));
  expect(payload).toMatchObject({
    hook_event_name: 'PreToolUse',
    tool_name: 'Write',
    tool_input: { file_path: 'a.txt', content: 'x' },
    tool_use_id: 'w',
    session_id: expect.any(String),
    longhaul: { on: 'tool.before', toolName: 'write', isRepeated: false },
  });
  expect((await read('folder.txt')).trim()).toBe(payload.cwd);
  expect(payload.cwd).toContain(root);
});

it('refuses a call with exit code 2, by the names of either program', async () => {
  const guard = 'grep -q "rm -rf" && { echo "no rm" >&2; exit 2; }; exit 0';
  for (const tools of ['Bash', 'bash|write', '*']) {
    const { tools: parts } = await runWith({ guard: { on: 'tool.before', tools, command: guard } }, [
      bash('touch ran; rm -rf x'),
    ]);
    expect(parts[0]?.error).toBe('Not run: a hook refused it: no rm');
  }
  const other = await runWith({ guard: { on: 'tool.before', tools: 'Write', command: 'exit 2' } }, [
    bash('echo hi'),
  ]);
  expect(other.tools[0]?.state).toBe('completed');
});

it('replaces the input of a call, in the names of Claude Code', async () => {
  const output = JSON.stringify({
    hookSpecificOutput: { updatedInput: { file_path: 'b.txt', content: 'changed' } },
  });
  const { read, root } = await runWith({ change: { on: 'tool.before', command: `echo '${output}'` } }, [
    write,
  ]);
  expect(await read('b.txt')).toBe('changed');
  expect(existsSync(join(root, 'a.txt'))).toBe(false);
});

it('kills a command after its time, with all that it has started, and continues', async () => {
  const { warnings, result, root } = await runWith(
    { slow: { on: 'run.end', timeoutMs: 300, command: '(sleep 30; touch late) & sleep 30' } },
    [],
  );
  expect(result.status).toBe('completed');
  expect(warnings).toEqual([expect.stringContaining('killed after 300 ms')]);
  expect(existsSync(join(root, 'late'))).toBe(false);
});

it('reads at most 64 kB of an output, and runs only hooks with onHost on the host', async () => {
  const big = { on: 'tool.after', command: 'yes x | head -c 5000000 >&2; exit 2' } as const;
  const { tools, hosts } = await runWith({ big, host: { on: 'run.end', command: 'true', onHost: true } }, [
    bash('echo hi'),
  ]);
  expect(JSON.stringify(tools[0]?.output).length).toBeLessThan(30_000);
  expect(hosts).toBe(1);
});

it("refuses a call by a hook of Claude Code's settings, once it is trusted", async () => {
  const { mkdir, writeFile } = await import('node:fs/promises');
  const [cwd, home] = [await folder(), await folder()];
  await writeFile(join(cwd, 'longhaul.yml'), 'compat: { claude: true }\n');
  await mkdir(join(cwd, '.claude'));
  const hook = { type: 'command', command: 'grep -q "rm -rf" && { echo "no rm" >&2; exit 2; }; exit 0' };
  const settings = { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } };
  await writeFile(join(cwd, '.claude/settings.json'), JSON.stringify(settings));
  const partsWith = async (trust: 'stored' | 'all') => {
    const { config } = await loadConfig({ cwd, home, env: {}, trust });
    return (await runWith(config.hooks, [bash('rm -rf x')])).tools;
  };
  expect((await partsWith('stored'))[0]?.state).toBe('completed');
  expect((await partsWith('all'))[0]?.error).toBe('Not run: a hook refused it: no rm');
});

it('ignores hooks of an untrusted project, and lets a trusted project replace no hook of the user', async () => {
  const { mkdir, writeFile } = await import('node:fs/promises');
  const [cwd, home] = [await folder(), await folder()];
  const hook = (command: string) => `{ on: tool.before, command: ${command} }`;
  await writeFile(join(cwd, 'longhaul.yml'), `hooks: { guard: ${hook('evil')}, more: ${hook('more')} }\n`);
  await mkdir(join(home, '.config/longhaul'), { recursive: true });
  await writeFile(join(home, '.config/longhaul/longhaul.yml'), `hooks: { guard: ${hook('mine')} }\n`);
  const load = async (trust: 'stored' | 'all') =>
    Object.values((await loadConfig({ cwd, home, env: {}, trust })).config.hooks).map(
      ({ command }) => command,
    );
  expect(await load('stored')).toEqual(['mine']);
  expect(await load('all')).toEqual(['mine', 'more']);
});
