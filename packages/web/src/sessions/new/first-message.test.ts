import { LonghaulError, type UserMessageContentPart } from '@longhaul/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { sessionInfo } from '../session-info.fixture.ts';
import { FirstMessage, taskOf } from './first-message.ts';

type Client = ConstructorParameters<typeof FirstMessage>[0];

const text = (words: string): UserMessageContentPart[] => [{ type: 'text', text: words }];
const DEFAULTS = { workspace: '', agent: '', model: '' };

describe('FirstMessage', () => {
  let created: object[];
  let deleted: string[];
  let sent: { sessionId: string; key: string | undefined }[];
  let sendProblem: Error | undefined;
  let deleteProblem: Error | undefined;
  let first: FirstMessage;

  beforeEach(() => {
    created = [];
    deleted = [];
    sent = [];
    sendProblem = undefined;
    deleteProblem = undefined;
    first = new FirstMessage({
      sessions: {
        create: async (body: object) => {
          created.push(body);
          return sessionInfo({ id: `s${created.length}` });
        },
        delete: async (id: string) => {
          if (deleteProblem !== undefined) throw deleteProblem;
          deleted.push(id);
        },
      },
      sendMessage: async (sessionId: string, _: unknown, { idempotencyKey }: { idempotencyKey?: string }) => {
        sent.push({ sessionId, key: idempotencyKey });
        if (sendProblem !== undefined) throw sendProblem;
      },
    } as unknown as Client);
  });

  it('passes the text as the task, and what was chosen', async () => {
    await first.send(text('Fix it'), { workspace: ' /work/a ', agent: 'reviewer', model: 'local/test' });
    expect(created).toEqual([
      { task: 'Fix it', workspace: '/work/a', agent: 'reviewer', model: 'local/test' },
    ]);
  });

  it('leaves out what is the default of the server', async () => {
    await first.send([{ type: 'file', data: 'AA==', mediaType: 'text/plain', filename: 'a' }], DEFAULTS);
    expect(created).toEqual([{}]);
  });

  it('uses the same session and key again after the message could not be sent', async () => {
    sendProblem = new LonghaulError('server_unreachable', 'No answer.');
    await expect(first.send(text('Fix it'), DEFAULTS)).rejects.toThrow('No answer.');
    sendProblem = undefined;
    await first.send(text('Fix it'), DEFAULTS);
    expect(created).toHaveLength(1);
    expect(sent.map(({ sessionId }) => sessionId)).toEqual(['s1', 's1']);
    expect(sent[0]?.key).toBeDefined();
    expect(sent[1]?.key).toBe(sent[0]?.key);
  });

  it('deletes the empty session and makes another after the text or a choice was changed', async () => {
    sendProblem = new LonghaulError('input_unsupported', 'No images.');
    await expect(first.send(text('Fix it'), DEFAULTS)).rejects.toThrow();
    sendProblem = undefined;
    await first.send(text('Fix that'), { ...DEFAULTS, model: 'local/other' });
    expect(deleted).toEqual(['s1']);
    expect(sent[1]?.sessionId).toBe('s2');
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
  });

  it('leaves a session that works on the earlier text', async () => {
    sendProblem = new LonghaulError('server_unreachable', 'No answer.');
    await expect(first.send(text('Fix it'), DEFAULTS)).rejects.toThrow();
    sendProblem = undefined;
    deleteProblem = new LonghaulError('session_busy', 'It runs.');
    expect((await first.send(text('Fix that'), DEFAULTS)).id).toBe('s2');
  });

  it('makes a new session for each message that was sent', async () => {
    await first.send(text('One'), DEFAULTS);
    await first.send(text('One'), DEFAULTS);
    expect(created).toHaveLength(2);
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
  });
});

describe('taskOf', () => {
  it('joins texts, and returns what the server accepts', () => {
    expect(taskOf([...text(' a\0b '), ...text('c')])).toBe('ab \nc');
    expect(taskOf(text('x'.repeat(5_000)))).toHaveLength(2_000);
    expect(taskOf(text(`${'x'.repeat(1_999)}😀`)).isWellFormed()).toBe(true);
  });
});
