import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JournalLine } from './disk-journal.ts';
import { createScriptedModelServer } from './index.ts';
import { randomFaults } from './random-faults.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-journal-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the journal on disk', () => {
  it('records every request, refused ones included, every sent piece, and the outcome', async () => {
    const journalFile = join(folder, 'journal.jsonl');
    const lines = async () => {
      const text = await readFile(journalFile, 'utf8');
      return text
        .trim()
        .split('\n')
        .map((line): JournalLine => JSON.parse(line));
    };
    await using server = await createScriptedModelServer({
      script: () => 'one two three',
      chunkChars: 4,
      journalFile,
      faults: { 2: { kind: 'cut', afterChunks: 2 } },
    });
    const post = async (body: unknown) => {
      const request = { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(`${server.url}/chat/completions`, request);
      return response.text().catch(() => '[cut]');
    };
    const hello = { model: 'scripted', stream: true, messages: [{ role: 'user', content: 'Hello' }] };
    const answer = await post(hello);
    await post(hello);
    await post({ ...hello, messages: [] });

    const ends = async () => (await lines()).filter((line) => line.type === 'end');
    await expect.poll(async () => (await ends()).length).toBe(3);
    const written = await lines();
    const requests = written.filter((line) => line.type === 'request');
    expect(requests.map(({ number, body }) => [number, JSON.parse(body)])).toEqual([
      [1, hello],
      [2, hello],
      [3, { ...hello, messages: [] }],
    ]);
    const sentIn = (number: number) =>
      written.flatMap((line) => (line.type === 'sent' && line.number === number ? [line.data] : []));
    expect(sentIn(1).join('')).toBe(answer);
    expect(sentIn(2)).toHaveLength(2);
    expect((await ends()).toSorted((a, b) => a.number - b.number)).toMatchObject([
      { number: 1, outcome: 'answered', status: 200 },
      { number: 2, outcome: 'fault', fault: 'cut' },
      { number: 3, outcome: 'rejected', status: 400 },
    ]);
  });
});

describe('random faults', () => {
  it('depend only on the seed and the request number, and are of every kind', () => {
    const one = randomFaults({ seed: 7, share: 0.5 });
    const other = randomFaults({ seed: 7, share: 0.5 });
    const numbers = Array.from({ length: 400 }, (_, index) => index + 1);
    const faults = numbers.map(one);
    expect(numbers.toReversed().map(other)).toEqual(faults.toReversed());
    const struck = faults.filter((fault) => fault !== undefined);
    expect(struck.length).toBeGreaterThan(150);
    expect(struck.length).toBeLessThan(250);
    expect([...new Set(struck.map(({ kind }) => kind))].toSorted()).toEqual([
      'clean-cut',
      'cut',
      'error-event',
      'malformed-chunk',
      'silence',
      'slow',
      'status',
    ]);
    expect(numbers.map(randomFaults({ seed: 7, share: 0 })).every((fault) => fault === undefined)).toBe(true);
  });
});
