import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lacks } from '../../test/machine.ts';
import { hasPassed, type PlayedFile } from './report.ts';
import { replayThroughAgent } from './through-agent.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-through-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function play(paths: string[], more: { windowTokens?: number; wantsNarratives?: boolean } = {}) {
  const { sessions } = await replayThroughAgent({
    paths,
    windowTokens: 32_000,
    wantsNarratives: false,
    database: join(folder, 'replay.db'),
    onFile: () => {},
    signal: new AbortController().signal,
    ...more,
  });
  return sessions.map((session): PlayedFile => {
    if ('problem' in session) throw new Error(session.problem);
    return session;
  });
}

async function recording(messages: object[]): Promise<string> {
  const path = join(folder, 'session.json');
  await writeFile(path, JSON.stringify({ messages }));
  return path;
}

async function storedMessages(sessionId: string) {
  await using store = await openSqliteStore({ path: join(folder, 'replay.db') });
  return (await store.loadLog(sessionId)).messages;
}

const asks = (id: string, args: string, content: string | null = null) => ({
  role: 'assistant',
  content,
  tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: args } }],
});
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });

describe('a recorded session played through the agent', () => {
  it('is stored as it was recorded: messages sent while it worked, several at once, calls without result or JSON', async () => {
    const path = await recording([
      { role: 'user', content: 'Read a.' },
      asks('1', '{"path":"a"}', 'Let me look.'),
      result('1', 'content of a'),
      { role: 'user', content: 'And b.' },
      { role: 'user', content: 'Quickly.' },
      asks('2', '{"path":"b"}'),
      asks('3', '{"path":'),
      result('3', 'not valid'),
      { role: 'assistant', content: 'Both are read.' },
      { role: 'assistant', content: 'One more thing.' },
      { role: 'user', content: 'Thanks.' },
    ]);
    const [session] = await play([path]);
    expect(session).toMatchObject({ recorded: { messages: 9, calls: 3 }, refusals: 0 });
    expect(session?.stored).toMatchObject({ messages: 9, results: 3, coalesced: 2, problems: [] });
    expect(session?.leftOut).toHaveLength(1);
    const texts = (await storedMessages(session?.sessionId ?? '')).map(({ role, parts }) => [
      role,
      parts.map((part) => (part.type === 'text' ? part.text : part.type)).join(' '),
    ]);
    expect(texts).toEqual([
      ['user', 'Read a.'],
      ['assistant', 'Let me look. tool'],
      ['user', 'First: And b.\n\nAlso: Quickly.'],
      ['assistant', 'tool'],
      ['assistant', 'tool'],
      ['assistant', 'Both are read.'],
      ['assistant', 'One more thing.'],
      ['user', 'Thanks.'],
      ['assistant', '[The recording ends here.]'],
    ]);
  });

  it('passes a window that is too small, with results and answers larger than it', async () => {
    const steps = Array.from({ length: 12 }, (_, index) => [
      asks(
        `r${index}`,
        JSON.stringify({ path: `src/file${index}.ts`, text: `let value${index} = 1;\n`.repeat(index * 40) }),
      ),
      result(`r${index}`, `export const name${index} = load(${index});\n`.repeat(index * 60)),
    ]);
    const path = await recording([{ role: 'user', content: 'Write all files.' }, ...steps.flat()]);
    const [session] = await play([path], { windowTokens: 8_000, wantsNarratives: true });
    expect(session?.stored.problems).toEqual([]);
    expect(session).toMatchObject({ refusals: 0, stored: { messages: 13, results: 12 } });
    expect(session?.compactions).toBeGreaterThan(2);
    expect(session?.stored.truncated).toBeGreaterThan(0);
  });

  it('can be played into the same database twice', async () => {
    const path = await recording([
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: 'Hello.' },
    ]);
    await play([path]);
    expect((await play([path])).every(hasPassed)).toBe(true);
  });
});

describe('real sessions', () => {
  const transcripts = process.env['LONGHAUL_TRANSCRIPTS'] ?? '';
  const missing = lacks('transcripts', () => transcripts !== '');
  const names = ['codex-agentv.jsonl', 'claude-code-manifest.jsonl', 'opencode-export.json'];

  it.skipIf(missing !== undefined)(
    `outlast 16k: each message stored once, each call with its result, nothing refused${missing === undefined ? '' : `: ${missing}`}`,
    { timeout: 180_000 },
    async () => {
      const paths = names.map((name) => join(transcripts, name));
      for (const session of await play(paths, { windowTokens: 16_000 })) {
        expect([session.path, session.stored.problems, session.refusals]).toEqual([session.path, [], 0]);
        expect(hasPassed(session), session.path).toBe(true);
        expect(session.compactions).toBeGreaterThan(2);
      }
    },
  );
});
