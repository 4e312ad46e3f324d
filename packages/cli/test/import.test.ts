import { createWriteStream, existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { Bench, type Ended, linesOf } from './harness.ts';
import { lacks } from './machine.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A small session of chat messages, with an image. */
function chat(): string {
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'grep', arguments: '{"pattern":"retryAfter"}' },
  };
  return JSON.stringify([
    { role: 'system', content: 'You help.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Why is retryAfter ignored?\nLook at the picture.' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
      ],
    },
    { role: 'assistant', content: 'I look for it.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'src/client.ts:4217: const retryAfterSeconds = 5;' },
    { role: 'assistant', content: 'It is read, but never waited for.' },
  ]);
}

async function benchWithChat(): Promise<Bench> {
  const bench = await Bench.open();
  await writeFile(join(bench.workspace, 'chat.json'), chat());
  return bench;
}

function jsonLines({ stdout }: Ended): Record<string, unknown>[] {
  return linesOf(stdout).map((line): Record<string, unknown> => JSON.parse(line));
}

describe('longhaul import', () => {
  it('makes a session that is shown and searched', async () => {
    await using bench = await benchWithChat();
    const imported = await bench.call(['import', 'chat.json']);
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(imported.stdout).toMatch(
      /✓ [0-9a-f-]{13} {2}Why is retryAfter ignored\?\n {2}chat-messages, 3 messages, 1 call/,
    );
    const shown = await bench.call(['show', 'last']);
    expect(shown.stdout).toContain('completed');
    expect(shown.stdout).toMatch(
      /m1 user\nWhy is retryAfter ignored\?\nLook at the picture\.\n\[image\/png\]/,
    );
    expect(shown.stdout).toContain('It is read, but never waited for.');
    const found = await bench.call(['search', 'retry', 'seconds', '--json']);
    expect(jsonLines(found)).toMatchObject([
      {
        title: 'Why is retryAfter ignored?',
        handle: 'm2.1',
        snippet: expect.stringContaining('retryAfterSeconds'),
      },
    ]);
    const exported = JSON.parse((await bench.call(['export', 'last'])).stdout);
    expect(exported.messages[0].parts[1].data).toMatch(/^@blob:[0-9a-f]{64}$/);
    const blob: string = exported.messages[0].parts[1].data.slice('@blob:'.length);
    const blobs = join(bench.home, '.local/share/longhaul/blobs');
    const bytes = await readFile(join(blobs, blob.slice(0, 2), blob.slice(2)));
    expect(bytes.toString('base64')).toBe(PIXEL);
  });

  it('is gone on with in the current folder, by the configured model', async () => {
    await using bench = await benchWithChat();
    await bench.call(['import', 'chat.json']);
    const { server, flags } = await bench.serve({ script: () => 'It waits now.' });
    const run = await bench.run(['run', 'Go on.', '--session', 'last', '--sandbox', 'local', '-q', ...flags]);
    expect(run).toMatchObject({ code: 0, stdout: 'It waits now.\n' });
    const [request] = server.requests;
    expect(JSON.stringify(request)).toContain('retryAfterSeconds = 5');
    const [session] = jsonLines(await bench.call(['sessions', '--json']));
    expect(session).toMatchObject({ model: 'openai-compatible/scripted', workspace: bench.workspace });
  });

  it('is measured by the window of the configured model', async () => {
    await using bench = await benchWithChat();
    await bench.call(['import', 'chat.json']);
    const report = async () => JSON.parse((await bench.call(['context', 'last', '--json'])).stdout);
    const model = '{ baseUrl: "http://127.0.0.1:9/v1", models: { big: { window: 65536 } } }';
    await writeFile(
      join(bench.workspace, 'longhaul.yml'),
      `model: mine/big\nproviders: { mine: ${model} }\n`,
    );
    expect((await report()).window).toMatchObject({ source: 'model', windowTokens: 65_536 });
  });

  it('names each file that cannot be read and why, and imports the others', async () => {
    await using bench = await benchWithChat();
    await mkdir(join(bench.workspace, 'folder'));
    await writeFile(join(bench.workspace, 'empty.json'), '');
    await writeFile(
      join(bench.workspace, 'binary'),
      new Uint8Array(5_000).map((_, index) => index % 7),
    );
    await writeFile(join(bench.workspace, 'cut.json'), chat().slice(0, 400));
    const files = ['nowhere.json', 'folder', 'empty.json', 'binary', 'cut.json', 'chat.json'];
    const result = await bench.call(['import', ...files, '--json']);
    expect(result).toMatchObject({ code: 1, stderr: '' });
    expect(jsonLines(result).map(({ type, message, messages }) => message ?? [type, messages])).toEqual([
      'There is no such file.',
      'It is a folder; name the files in it.',
      'The file is empty.',
      'Nothing recognised here: this is no text.',
      ['imported', 2],
      ['imported', 3],
    ]);
    expect(jsonLines(await bench.call(['sessions', '--json']))).toHaveLength(2);
    const text = await bench.call(['import', 'nowhere.json']);
    expect(text).toMatchObject({ code: 1, stdout: '✗ nowhere.json: There is no such file.\n' });
    await writeFile(join(bench.workspace, 'other.json'), '{"a": 1}');
    const whole = (await bench.call(['import', 'other.json'])).stdout.replaceAll(/\s+/g, ' ');
    expect(whole).toBe(
      `✗ other.json: ${jsonLines(await bench.call(['import', 'other.json', '--json']))[0]?.message} `,
    );
    expect((await bench.call(['import'])).code).toBe(2);
  });

  it('takes back what it has stored of a file when it is stopped, and keeps the files before it', async () => {
    await using bench = await benchWithChat();
    await pipeline(Readable.from(manySteps(2_000)), createWriteStream(join(bench.workspace, 'large.jsonl')));
    const importing = bench.start(['import', 'chat.json', 'large.jsonl']);
    await importing.saw('chat-messages');
    importing.child.kill('SIGINT');
    const { code, stderr } = await importing.ended;
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: expect.stringContaining('what was imported before is kept'),
    });
    expect(jsonLines(await bench.call(['sessions', '--json']))).toHaveLength(1);
  });

  it('keeps the marks of our own export on new ids, as often as it is imported', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({
      script: ({ number, asksForSummary }) => {
        if (asksForSummary) return 'It lists folders.';
        if (number > 12) return 'Done.';
        const text = `Step ${number}: ${'thinking of a plan, '.repeat(150)}`;
        return { text, toolCalls: [{ name: 'glob', arguments: { pattern: `step-${number}*` } }] };
      },
    });
    const first = await bench.run(['run', 'List.', '--sandbox', 'local', '--json', ...flags]);
    expect(first.code).toBe(0);
    await bench.run(['compact', 'last']);
    await bench.run(['pin', 'last', 'm3']);
    const exported = await bench.call(['export', 'last']);
    await writeFile(join(bench.workspace, 'own.json'), exported.stdout);
    const imported = await bench.call(['import', 'own.json', 'own.json', '--json']);
    const [one, two] = jsonLines(imported);
    const whole = JSON.parse(exported.stdout);
    expect(whole.marks.length).toBeGreaterThan(1);
    expect(one).toMatchObject({
      format: 'longhaul',
      messages: whole.messages.length,
      marks: whole.marks.length,
    });
    const contexts = await Promise.all(
      [whole.session.id, one?.['sessionId'], two?.['sessionId']].map(async (id) =>
        JSON.parse((await bench.call(['context', String(id), '--window', '16000', '--json'])).stdout),
      ),
    );
    const facts = contexts.map(({ messages, hidden, pins, pruned }) => ({
      messages,
      hidden: hidden.map((by: { ranges: unknown }) => by.ranges),
      pins: pins.map((pin: { handle: string }) => pin.handle),
      pruned,
    }));
    expect(facts[1]).toEqual(facts[0]);
    expect(facts[2]).toEqual(facts[0]);
    const ids = new Set(contexts.map(({ hidden }) => hidden[0]?.compactionId));
    expect(ids.size).toBe(3);
    const undone = await bench.run(['undo', String(one?.['sessionId']), '--json']);
    expect(JSON.parse(undone.stdout)).toMatchObject({ status: 'undone' });
  });

  const folder = process.env['LONGHAUL_TRANSCRIPTS'] ?? '';
  const recorded = join(folder, 'codex-agentv.jsonl');
  const noTranscripts = lacks('transcripts', () => folder !== '' && existsSync(recorded));
  it.skipIf(noTranscripts !== undefined)(
    `takes a real session of hundreds of kilobytes${noTranscripts === undefined ? '' : ` (${noTranscripts})`}`,
    async () => {
      await using bench = await Bench.open();
      await copyFile(recorded, join(bench.workspace, 'real.jsonl'));
      const [imported] = jsonLines(await bench.call(['import', 'real.jsonl', '--json']));
      expect(imported).toMatchObject({ type: 'imported', format: 'codex', messages: 74, calls: 181 });
      const shown = await bench.call(['show', 'last']);
      expect(shown.stdout).toContain('Can you review our beads that are currently open');
      const found = await bench.call(['search', 'review beads currently open', '--session', 'last']);
      expect(found.code).toBe(0);
      expect(found.stdout).toMatch(/^m\d+\.\d+ .*beads/m);
    },
  );

  it('takes thousands of messages with few waits for the disk, and no more memory for a larger file', async () => {
    await using bench = await Bench.open();
    const path = join(bench.workspace, 'large.jsonl');
    await pipeline(Readable.from(manySteps(2_500)), createWriteStream(path));
    const peak = "process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS))";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(peak)}` };
    const result = await bench.run(['import', 'large.jsonl', '--json'], { env });
    expect(jsonLines(result)).toMatchObject([{ type: 'imported', messages: 2_501, calls: 2_500 }]);
    const megabytes = Number(/peak (\d+)/.exec(result.stderr)?.[1]) / 1_000;
    expect(megabytes).toBeGreaterThan(20);
    expect(megabytes).toBeLessThan(260);
  }, 60_000);
});

/** A session of Claude Code with 20 kB in each result. */
function* manySteps(steps: number): Generator<string> {
  const row = (type: string, step: number, content: unknown, more: object = {}) =>
    `${JSON.stringify({
      type,
      uuid: `${step}-${type}`,
      sessionId: 'large',
      cwd: '/a',
      isSidechain: false,
      timestamp: new Date(1.7e12 + step * 1_000).toISOString(),
      message: { role: type, content, ...more },
    })}\n`;
  yield row('user', 0, 'Read all of it.');
  for (let step = 1; step <= steps; step += 1) {
    const id = `toolu_${step}`;
    const input = { file_path: `/a/${step}.ts` };
    yield row('assistant', step, [{ type: 'tool_use', id, name: 'Read', input }], { id: `msg_${step}` });
    const content = `${step}\n${'const total = items.length; // cart\n'.repeat(570)}`;
    yield row('user', step, [{ type: 'tool_result', tool_use_id: id, content }]);
  }
}
