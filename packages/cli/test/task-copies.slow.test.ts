import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject } from '@longhaul/protocol';
import type { ScriptRequest } from '@longhaul/scripted-model';
import { expect, it } from 'vitest';
import { Bench } from './harness.ts';

const CHILD = 'Change the greeting.';
const COMMANDS = [
  // What a child needs of a project: installed packages, history, and files that it can change.
  'node -e "console.log(require(\'lib\'))" && git log --format=%s && cat packages/app/hello.js',
  'sed -i s/hello/goodbye/ packages/app/hello.js && git commit -qam "in the copy" && mkdir -p node_modules/.cache; cat .env; true',
];

function makeProject(workspace: string): void {
  const files = {
    '.gitignore': 'node_modules/\n',
    '.env': 'KEY=secret\n',
    'packages/app/hello.js': 'console.log("hello");\n',
    'node_modules/lib/index.js': 'module.exports = "installed";\n',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: workspace });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'x');
  git('config', 'user.email', 'x');
  git('add', 'packages', '.gitignore');
  git('commit', '-qm', 'first');
}

const bash = (command: string) => ({ toolCalls: [{ name: 'bash', arguments: { command } }] });
const task = (input: JsonObject) => ({ toolCalls: [{ name: 'task', arguments: input }] });

/** Plays the parent and the child by how many results they have seen. */
function script({ messages }: ScriptRequest) {
  const seen = messages.filter(({ role }) => role === 'tool');
  if (messages.some(({ role, content }) => role === 'user' && JSON.stringify(content).includes(CHILD))) {
    const command = COMMANDS[seen.length];
    return command === undefined ? 'Changed the greeting.' : bash(command);
  }
  if (seen.length === 0) return task({ prompt: CHILD, files: 'own' });
  const handle = /merge \\*"(m[\d.]+)/.exec(JSON.stringify(seen[0]))?.[1];
  if (seen.length === 1) return task({ merge: handle ?? '' });
  return 'Done.';
}

it.each(['local', 'bubblewrap'])(
  'gives a child a copy of the project in the sandbox %s, and merges it',
  async (sandbox) => {
    await using bench = await Bench.open();
    const { workspace } = bench;
    makeProject(workspace);
    const { server, flags } = await bench.serve({ windowTokens: 64_000, script });
    const ended = await bench.run(['run', 'Work', '--sandbox', sandbox, ...flags]);
    expect(ended.code, ended.stderr).toBe(0);
    const opened = `${ended.stdout}${ended.stderr}`.match(/^folder .*/gm);
    expect(opened).toEqual([expect.stringContaining(workspace)]);
    const results = server.requests
      .flatMap(({ body }) => body?.messages ?? [])
      .filter(({ role }) => role === 'tool');
    const shown = JSON.stringify(results);
    expect(shown).toContain('installed');
    expect(shown).toContain('first');
    expect(shown).not.toContain('KEY=secret');
    expect(shown).toContain('-console.log(\\"hello\\");');
    expect(shown).toContain('modified packages/app/hello.js');
    expect(readFileSync(join(workspace, 'packages/app/hello.js'), 'utf8')).toBe('console.log("goodbye");\n');
    expect(execFileSync('git', ['log', '--format=%s'], { cwd: workspace, encoding: 'utf8' })).toBe('first\n');
    expect(existsSync(join(workspace, 'node_modules/.cache'))).toBe(false);
    const copies = execFileSync('find', [bench.root, '-type', 'd', '-path', '*/copies/*.db'], {
      encoding: 'utf8',
    }).trim();
    expect(readdirSync(copies)).toEqual([]);
    const diff = await bench.call(['diff', 'last']);
    expect(diff.stdout).toContain('+console.log("goodbye");');
    await bench.call(['revert', 'last', 'm1', '--files']);
    expect(readFileSync(join(workspace, 'packages/app/hello.js'), 'utf8')).toBe('console.log("hello");\n');
  },
);
