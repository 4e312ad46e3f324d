import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasToolCall, type Script } from '@longhaul/scripted-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';

const touch: Script = ({ messages }) =>
  hasToolCall(messages, 'bash')
    ? 'It is done.'
    : { text: '', toolCalls: [{ name: 'bash', arguments: { command: 'touch made' } }] };
const RULES = 'approvals:\n  - { tool: bash, action: ask }\n';

describe('approvals in the command', () => {
  let bench: Bench;
  let flags: string[];

  beforeEach(async () => {
    bench = await Bench.open();
    await writeFile(join(bench.workspace, 'longhaul.yml'), RULES);
    const model = await bench.serve({ script: touch });
    flags = ['--sandbox', 'local', ...model.flags];
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  const made = () => existsSync(join(bench.workspace, 'made'));

  it('ends with 4 where nobody can be asked and nothing else was done', async () => {
    const ended = await bench.run(['run', ...flags, '--json', 'Touch it']);
    const finished = eventsOf(ended).find((event) => event.type === 'run:finished');
    expect(finished).toMatchObject({ status: 'failed', error: { code: 'approval_denied' } });
    expect([ended.code, made()]).toEqual([4, false]);
  });

  it('allows with --yes what would be asked for', async () => {
    const { code } = await bench.run(['run', ...flags, '--yes', '--quiet', 'Touch it']);
    expect([code, made()]).toEqual([0, true]);
  });

  it.each([
    ['y', 0, true],
    ['what?\na', 0, true],
    ['n\nnot in here', 0, false],
  ])('asks the person at a terminal, who answers %j', async (typed, code, isMade) => {
    const running = bench.start(['run', ...flags, 'Touch it'], { terminal: true, env: { TERM: 'xterm' } });
    await running.saw('Allow it?');
    running.child.stdin?.write(`${typed}\n`);
    const ended = await running.ended;
    expect(ended.stdout).toContain('? bash touch made');
    expect([ended.code, made()]).toEqual([code, isMade]);
    if (!isMade) {
      const shown = await bench.run(['show', 'last', '--json']);
      expect(shown.stdout).toContain('Not allowed: not in here.');
    }
    expect(await readFile(join(bench.workspace, 'longhaul.yml'), 'utf8')).toBe(RULES);
  });
});
