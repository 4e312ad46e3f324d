import type { Message, Part } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { recordedPlay } from './recorded-play.ts';

let made = 0;

function message(role: Message['role'], parts: Part[], metadata?: Message['metadata']): Message {
  made += 1;
  return {
    id: `m${made}`,
    sessionId: 's',
    sequence: made,
    role,
    parts,
    status: 'done',
    createdAt: 0,
    tokenCount: 0,
    metadata,
  };
}

const text = (value: string): Part => ({ type: 'text', text: value, state: 'done' });
const call = (callId: string, more: Partial<Extract<Part, { type: 'tool' }>> = {}): Part => ({
  type: 'tool',
  callId,
  name: 'bash',
  input: {},
  state: 'completed',
  output: [{ type: 'text', text: 'ok' }],
  ...more,
});
function withoutResult(part: Part): Part {
  if (part.type !== 'tool') return part;
  const { output: _, ...rest } = part;
  return { ...rest, state: 'interrupted' };
}

const shape = (messages: Message[]) =>
  recordedPlay(messages).turns.map(({ users, steps }) => [
    users.length,
    ...steps.map((step) => [step.text || step.calls.length, step.usersAfter.length]),
  ]);

describe('a recorded session to play', () => {
  it('ends a turn at each answer without calls', () => {
    const messages = [
      message('user', [text('do it')]),
      message('assistant', [call('1')]),
      message('assistant', [text('done')]),
      message('user', [text('more')]),
      message('user', [text('and that')]),
      message('assistant', [text('done too')]),
      message('assistant', [text('by the way')]),
    ];
    expect(shape(messages)).toEqual([
      [1, [1, 0], ['done', 0]],
      [2, ['done too', 0]],
      [0, ['by the way', 0]],
    ]);
  });

  it('sends a message between a call and the next answer while the call runs', () => {
    const messages = [
      message('user', [text('do it')]),
      message('assistant', [call('1'), call('2')]),
      message('user', [text('wait')]),
      message('assistant', [text('waiting')]),
    ];
    expect(shape(messages)).toEqual([[1, [2, 1], ['waiting', 0]]]);
  });

  it('starts with an answer or ends with a question if the recording does', () => {
    expect(shape([message('assistant', [text('hello')]), message('user', [text('hi')])])).toEqual([
      [0, ['hello', 0]],
      [1],
    ]);
  });

  it('reports content that it does not play', () => {
    const image = { type: 'image', data: 'https://example.org/a.png', mediaType: 'image/png' } as const;
    const { leftOut, users } = recordedPlay([
      message('user', [{ type: 'file', mediaType: 'image/png', data: '' }]),
      message('user', [{ type: 'notice', text: 'for people', forModel: false }]),
      message('assistant', [{ type: 'reasoning', text: 'hmm', state: 'done' }]),
      message('assistant', [withoutResult(call('1'))]),
      message('assistant', [call('2', { output: [image] })]),
    ]);
    expect(users.map((user) => user.content)).toEqual([
      [{ type: 'text', text: '[image/png: not in the recording]' }],
    ]);
    expect(Object.fromEntries(leftOut.map(({ what, count }) => [what.split(':')[0], count]))).toEqual({
      'images and files whose bytes are not in the recording': 2,
      'user messages without content for a model': 1,
      'answers with neither text nor calls': 1,
      'results that are not in the recording': 1,
    });
  });

  it('marks messages that the recorded runtime wrote', () => {
    const injected = message('user', [{ type: 'notice', text: 'rules', forModel: true }], {
      synthetic: 'injected',
    });
    expect(recordedPlay([injected]).users).toMatchObject([
      { content: [{ type: 'text', text: 'rules' }], isInjected: true },
    ]);
  });
});
