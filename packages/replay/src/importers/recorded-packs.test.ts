import { describe, expect, it } from 'vitest';
import { importSession } from './import-session.ts';
import type { RecordedPack } from './session-reader.ts';

const DATA = Buffer.from('the content of a pack '.repeat(20)).toString('base64');
const MESSAGE = {
  id: 'm-1',
  sessionId: 's',
  sequence: 1,
  role: 'user',
  status: 'done',
  createdAt: 1,
  tokenCount: 1,
  parts: [{ type: 'text', text: 'Write it', state: 'done' }],
};

function exported(packs: unknown, messages: unknown[] = [MESSAGE]): string {
  const session = { id: 's', title: 'T', workspace: '/w', model: 'm' };
  return JSON.stringify({ format: 'longhaul-session', version: 1, session, messages, marks: [], packs });
}

/** Reads a text in pieces of `size` bytes. */
async function read(text: string, { size = 7, refusal }: { size?: number; refusal?: string } = {}) {
  const packs: RecordedPack[] = [];
  const bytes = Buffer.from(text);
  async function* source() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const { messages, report } = importSession(source(), {
    storePack: async (pack) => {
      packs.push(pack);
      return refusal;
    },
  });
  let count = 0;
  for await (const _message of messages) count += 1;
  return { packs, count, skipped: report.skipped };
}

describe('the packs of an export with files', () => {
  it('are passed on in order, however the file is cut into pieces', async () => {
    const packs = [
      { id: 'a', data: DATA },
      { id: 'b', data: '' },
    ];
    for (const size of [1, 7, 100_000]) {
      const found = await read(exported(packs), { size });
      expect(found).toEqual({ packs, count: 1, skipped: [] });
    }
  });

  it('are reported if they are refused or have wrong fields', async () => {
    const refused = await read(exported([{ id: 'a', data: DATA }]), { refusal: 'bad hash' });
    expect(refused.skipped).toMatchObject([{ reason: 'bad hash', where: 'recorded files', count: 1 }]);
    const wrong = await read(exported([{ id: 1, data: DATA }, { id: 'a' }, 'text']));
    expect(wrong.packs).toEqual([]);
    expect(wrong.skipped.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  });

  it('are not read from a file of another format, nor where nobody stores them', async () => {
    const chat = JSON.stringify({
      messages: [{ role: 'user', content: 'Hi' }],
      packs: [{ id: 'a', data: DATA }],
    });
    expect((await read(chat)).packs).toEqual([]);
    const { messages, report } = importSession(
      (async function* () {
        yield Buffer.from(exported([{ id: 'a', data: DATA }]));
      })(),
    );
    for await (const message of messages) expect(message.sequence).toBe(1);
    expect(report.skipped).toEqual([]);
  });

  it('do not hide the messages of a file that is cut off in them', async () => {
    const text = exported([{ id: 'a', data: DATA }]);
    const { count, skipped } = await read(text.slice(0, -60));
    expect(count).toBe(1);
    expect(skipped.map(({ reason }) => reason).join()).toMatch(/cut off/);
  });
});
