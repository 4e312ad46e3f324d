import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { outline, readFixture } from '../../test/support.ts';
import { importSession, readSession } from './import-session.ts';

const user = (text: string) => ({
  type: 'message',
  timestamp: '2026-01-05T10:00:00Z',
  message: { role: 'user', content: text },
});
const line = (text: string) => `${JSON.stringify(user(text))}\n`;
const reasons = (content: string | Uint8Array) =>
  readSession(content).report.skipped.map(({ where, reason }) => `${where}: ${reason}`);

describe('a file without a session', () => {
  it.each([
    ['an empty file', '', 'The file is empty.'],
    ['blank lines', '\n\r\n \n', 'The file is empty.'],
    ['prose', 'Dear diary,\ntoday I wrote no JSON.\n', /^Unknown format: the file is neither/],
    ['JSON of something else', '{"name":"x","version":"1.0.0"}', /^Unknown format: the file is neither/],
    ['a list of numbers', '[1,2,3]', /^Unknown format/],
    ['rows of something else', '{"level":"info"}\n{"level":"warn"}\n', /^Unknown format/],
    [
      'a session without a message',
      '{"type":"session","id":"a","cwd":"/"}\n',
      /^The file has the format pi, but contains no readable message/,
    ],
    ['brackets only', '['.repeat(200_000), /^Unknown format/],
  ])('is reported for %s', (_, content, problem) => {
    const { messages, report } = readSession(content);
    expect(messages).toEqual([]);
    expect(report.problem).toMatch(problem);
  });

  it('is reported as not text for a binary file', () => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256);
    expect(readSession(bytes).report.problem).toBe('Unknown format: the file is not text.');
  });
});

describe('a file that is still being written', () => {
  it('is read up to its last line, which is reported', () => {
    const content = line('one') + line('two') + line('three').slice(0, 80);
    const { messages, report } = readSession(content);
    expect(outline(messages).slice(0, 2)).toEqual(['user: one', 'user: two']);
    expect(report.skipped[0]).toEqual({
      where: 'line 3',
      reason: expect.stringMatching(/^the last line, which is incomplete/),
      count: 1,
    });
  });

  it('is read up to the cut in a document of one line or many lines', () => {
    const pretty = readFixture('mini-swe-agent.traj.json').toString();
    for (const text of [pretty, JSON.stringify(JSON.parse(pretty))]) {
      const { messages, report } = readSession(text.slice(0, text.indexOf('echo DONE')));
      expect(report.format).toBe('mini-swe-agent');
      expect(outline(messages).slice(0, 2)).toEqual([
        'user: Fix the bug.',
        'assistant: Look. | bash{"command":"ls"} completed → <returncode>1</returncode>',
      ]);
      expect(report.skipped.at(-1)?.reason).toMatch(/^the end of the document, which is cut off/);
    }
  });

  it('is read on after a damaged element of a document', () => {
    const text = JSON.stringify(
      Array.from({ length: 6 }, (_, index) => ({ role: 'user', content: `text ${index}` })),
    );
    const damaged = text.replace('"text 2"', '"text 2').replace('"text 4"}', '"text 4"');
    expect(outline(readSession(damaged).messages)).toEqual(
      expect.arrayContaining(['user: text 0', 'user: text 1', 'user: text 3', 'user: text 5']),
    );
  });
});

describe('odd lines', () => {
  it('keeps other line separators in strings as characters', () => {
    expect(outline(readSession(line('a\u2028b\u2029c\u0085d')).messages)).toEqual([
      'user: a\u2028b\u2029c\u0085d',
    ]);
  });

  it('reads several objects in one line', () => {
    expect(outline(readSession(line('one').trimEnd() + line('two')).messages)).toEqual([
      'user: one',
      'user: two',
    ]);
    expect(reasons(line('one').trimEnd() + line('two'))).toEqual([
      'line 1: lines with several objects: all were read',
    ]);
  });

  it('repairs escapes that JSON does not have', () => {
    const content = line('mail MARK here').replace('MARK', '\\dev@example.com');
    expect(outline(readSession(content).messages)).toEqual(['user: mail \\dev@example.com here']);
  });

  it('reads Windows line ends, a byte order mark, and UTF-16', () => {
    const text = `\ufeff${line('one')}${line('two')}`.replaceAll('\n', '\r\n');
    const expected = ['user: one', 'user: two'];
    expect(outline(readSession(text).messages)).toEqual(expected);
    expect(outline(readSession(Buffer.from(text)).messages)).toEqual(expected);
    expect(outline(readSession(Buffer.from(text, 'utf16le')).messages)).toEqual(expected);
  });

  it('keeps paths of Windows in the workspace, the calls and the results of a session', () => {
    const cwd = 'C:\\Users\\ann\\shop';
    const call = { type: 'tool_use', id: 't', name: 'Read', input: { file_path: `${cwd}\\src\\a.ts` } };
    const result = { type: 'tool_result', tool_use_id: 't', content: 'one\r\ntwo' };
    const rows = [
      { type: 'user', cwd, message: { role: 'user', content: 'Look' } },
      { type: 'assistant', cwd, message: { role: 'assistant', content: [call] } },
      { type: 'user', cwd, message: { role: 'user', content: [result] } },
    ].map((row, index) => ({
      ...row,
      sessionId: 's',
      uuid: `u${index}`,
      parentUuid: index === 0 ? null : `u${index - 1}`,
    }));
    const { messages, report } = readSession(rows.map((row) => `${JSON.stringify(row)}\r\n`).join(''));
    expect(report.workspace).toBe(cwd);
    const tool = messages.flatMap(({ parts }) => parts).find(({ type }) => type === 'tool');
    expect(tool).toMatchObject({ input: { file_path: `${cwd}\\src\\a.ts` } });
    expect(JSON.stringify(tool)).toContain(String.raw`one\r\ntwo`);
  });

  it('reads a line of 50 MB, and reports a line that is too large for memory', () => {
    const { messages, report } = readSession(line('x'.repeat(50_000_000)) + line('two'));
    expect(messages.map(({ parts }) => parts.length)).toEqual([1, 1]);
    expect(report.chars.user).toBe(50_000_003);
    expect(reasons(line('one') + line('x'.repeat(97_000_000)) + line('two'))).toEqual([
      'line 2: lines over 96 million characters',
    ]);
  });

  it('replaces an image over 20 MB by a line of text', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(29_000_000) };
    const row = { type: 'message', message: { role: 'user', content: [image] } };
    const { messages } = readSession(JSON.stringify(row));
    expect(outline(messages)).toEqual(['user: [image/png omitted: 29000000 characters of base64]']);
  });

  it('reads a call whose arguments are nested too deep to be serialised', () => {
    const depth = 20_000;
    const nested = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const row = `{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":${nested}}]}}`;
    const { messages, report } = readSession(row);
    expect(outline(messages)).toEqual(['assistant: bash{} interrupted → ']);
    expect(report.skipped.map(({ reason }) => reason)).toEqual([
      'arguments of calls that are nested too deep',
    ]);
  });

  it('assigns results to calls with the same id in order', () => {
    const call = (command: string) => ({
      type: 'toolCall',
      id: 'REDACTED',
      name: 'bash',
      arguments: { command },
    });
    const rows = [
      { type: 'message', message: { role: 'assistant', content: [call('a'), call('b')] } },
      { type: 'message', message: { role: 'toolResult', toolCallId: 'REDACTED', content: 'of a' } },
      { type: 'message', message: { role: 'toolResult', toolCallId: 'REDACTED', content: 'of b' } },
      { type: 'message', message: { role: 'assistant', content: [call('never answered')] } },
      { type: 'message', message: { role: 'assistant', content: [call('c')] } },
      { type: 'message', message: { role: 'toolResult', toolCallId: 'REDACTED', content: 'of c' } },
    ];
    expect(outline(readSession(rows.map((row) => JSON.stringify(row)).join('\n')).messages)).toEqual([
      'assistant: bash{"command":"a"} completed → of a | bash{"command":"b"} completed → of b',
      'assistant: bash{"command":"never answered"} interrupted → ',
      'assistant: bash{"command":"c"} completed → of c',
    ]);
  });

  it('reads 30,000 calls with the same id', () => {
    const call = { type: 'toolCall', id: 'REDACTED', name: 'bash', arguments: {} };
    const row = { type: 'message', message: { role: 'assistant', content: [call] } };
    const lines = Array.from({ length: 30_000 }, (_, index) => JSON.stringify({ ...row, index }));
    const { messages } = readSession(lines.join('\n'));
    expect(messages).toHaveLength(30_000);
    expect(messages.at(-1)?.parts[0]).toMatchObject({ callId: 'REDACTED#30000' });
  });

  it('waits for a missing result for at most 64 messages', () => {
    const call = { type: 'toolCall', id: 'late', name: 'bash', arguments: {} };
    const rows = [
      { type: 'message', message: { role: 'assistant', content: [call] } },
      ...Array.from({ length: 100 }, (_, index) => user(`text ${index}`)),
      { type: 'message', message: { role: 'toolResult', toolCallId: 'late', content: 'at last' } },
    ];
    const { messages } = readSession(rows.map((row) => JSON.stringify(row)).join('\n'));
    expect(outline(messages)[0]).toBe('assistant: bash{} interrupted → ');
    expect(outline(messages).at(-1)).toBe(
      'user: notice [Result of the call late, which is not in the recording]\nat last',
    );
  });
});

describe('a stream', () => {
  it('gives messages before the end of the file, and joins characters that are split between pieces', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'session.jsonl');
    const count = 4000;
    await writeFile(
      path,
      Array.from({ length: count }, (_, index) => line(`häß🙂 ${index} ${'x'.repeat(500)}`)).join(''),
    );
    const { messages, report } = importSession(createReadStream(path, { highWaterMark: 1021 }));
    const received: Message[] = [];
    for await (const message of messages) {
      if (received.length === 0) expect(report.messages).toBeLessThan(count);
      received.push(message);
    }
    expect(report.messages).toBe(count);
    expect(
      received.every(
        ({ parts }, index) => parts[0]?.type === 'text' && parts[0].text.startsWith(`häß🙂 ${index} `),
      ),
    ).toBe(true);
  });

  it('throws an error of the disk', async () => {
    const { messages } = importSession(createReadStream('/nowhere/session.jsonl'));
    await expect(Array.fromAsync(messages)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('ids', () => {
  it('are the same for the same file, and differ for another file', () => {
    const ids = (text: string) => readSession(text).messages.map(({ id, sessionId }) => `${sessionId} ${id}`);
    expect(ids(line('one') + line('two'))).toEqual(ids(line('one') + line('two')));
    expect(ids(line('one'))).not.toEqual(ids(line('two')));
    expect(readSession(line('one'), { sessionId: 'mine' }).messages[0]?.sessionId).toBe('mine');
  });

  it('ascend even if the dates in the file do not', () => {
    const rows = ['2026-01-05', '2025-01-05', '2027-01-05'].map((timestamp) => ({ ...user('a'), timestamp }));
    const { messages } = readSession(rows.map((row, index) => JSON.stringify({ ...row, index })).join('\n'));
    const ids = messages.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(messages[1]?.createdAt).toBe(Date.parse('2025-01-05'));
  });
});

async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'longhaul-replay-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
