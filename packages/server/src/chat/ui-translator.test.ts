import { type EventPayload, type LonghaulEvent, ZERO_USAGE } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import type { UiChunk } from './ui-chunk.ts';
import { UiTranslator } from './ui-translator.ts';

let number = 0;
function event(payload: EventPayload): LonghaulEvent {
  const isChunk = payload.type === 'llm:chunk' || payload.type === 'llm:tool-progress';
  number += isChunk ? 0 : 1;
  return { ...payload, sessionId: 's', at: 0, ...(isChunk ? {} : { number }) };
}

const delivered = (...ids: string[]) =>
  event({ type: 'message:dequeued', count: ids.length, ids, coalesced: ids.length > 1 });
const thinking = () => event({ type: 'llm:thinking' });
const chunk = (
  content: string,
  more: { partIndex?: number; offset?: number; chunkType?: 'text' | 'reasoning' } = {},
) =>
  event({ type: 'llm:chunk', chunkType: 'text', content, messageId: 'm', partIndex: 0, offset: 0, ...more });
const call = (callId: string) =>
  event({ type: 'llm:tool-call', toolName: 'bash', args: { command: 'ls' }, callId });
const response = (content: string, reasoning?: string) =>
  event({
    type: 'llm:response',
    content,
    reasoning,
    provider: 'p',
    model: 'm',
    finishReason: 'stop',
  });
const result = (callId: string, success = true) =>
  event({
    type: 'llm:tool-result',
    toolName: 'bash',
    callId,
    success,
    sanitized: [{ type: 'text', text: 'out' }],
  });
const failed = (said: { content?: string; reasoning?: string } = {}) =>
  event({
    type: 'llm:error',
    error: { code: 'provider_stream_cut', message: 'Cut.', retryable: true },
    recoverable: true,
    ...said,
  });
const finished = (status: 'completed' | 'cancelled' | 'failed' | 'limit' = 'completed') =>
  event({
    type: 'run:finished',
    runId: 'r',
    status,
    stepCount: 1,
    usage: ZERO_USAGE,
    text: '',
    compactions: 0,
    ...(status === 'completed'
      ? {}
      : { error: { code: 'internal', message: `It ${status}.`, retryable: false } }),
  });

function translated(translator: UiTranslator, events: readonly LonghaulEvent[]): UiChunk[] {
  return events.flatMap((each) => translator.push(each));
}
const types = (chunks: readonly UiChunk[]) => chunks.map(({ type }) => type);
const textOf = (chunks: readonly UiChunk[]) =>
  chunks.map((each) => (each.type === 'text-delta' ? each.delta : '')).join('');

describe('a session as a UI message stream', () => {
  it('opens and closes every step and part, and holds calls until the text before them is complete', () => {
    const translator = new UiTranslator({ sessionId: 's', awaits: 'q', messageId: 'a' });
    expect(translator.begin()).toEqual([
      { type: 'start', messageId: 'a', messageMetadata: { sessionId: 's' } },
    ]);
    const chunks = translated(translator, [
      chunk('of another answer'),
      delivered('q'),
      thinking(),
      chunk('hm', { chunkType: 'reasoning' }),
      chunk('I ', { partIndex: 1 }),
      call('c'),
      chunk('look', { partIndex: 1, offset: 2 }),
      response('I look', 'hm'),
      result('c'),
      thinking(),
      chunk('Done.'),
      response('Done.'),
      finished(),
    ]);
    expect(types(chunks)).toEqual([
      'data-queue',
      'start-step',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-available',
      'tool-output-available',
      'finish-step',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    expect(translator.isEnded).toBe(true);
    expect(translator.push(chunk('late'))).toEqual([]);
    expect(chunks.at(-1)).toMatchObject({ messageMetadata: { lastEvent: number, status: 'completed' } });
  });

  it('sends text that was missed while streaming, once', () => {
    const whole = translated(new UiTranslator({ sessionId: 's' }), [
      thinking(),
      call('c'),
      response('Whole.', 'why'),
    ]);
    expect(types(whole)).toEqual([
      'start-step',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-available',
    ]);
    const half = translated(new UiTranslator({ sessionId: 's' }), [
      thinking(),
      chunk('Ha'),
      response('Half.'),
    ]);
    expect(textOf(half)).toBe('Half.');
    expect(types(half).filter((type) => type === 'text-start')).toHaveLength(1);
  });

  it('ends when all remaining calls wait for approval, and continues with the answers', () => {
    const ask = (callId: string) =>
      event({ type: 'approval:requested', callId, handle: `m2.${callId}`, toolName: 'bash', args: {} });
    const answer = (callId: string, allowed: boolean) =>
      event({ type: 'approval:answered', callId, handle: `m2.${callId}`, allowed });
    const first = new UiTranslator({ sessionId: 's' });
    const before = translated(first, [
      thinking(),
      call('a'),
      call('b'),
      call('c'),
      response(''),
      ask('a'),
      ask('b'),
    ]);
    expect(first.isEnded).toBe(false);
    const asked = (callId: string) => ({ approvalId: `m2.${callId}`, toolCallId: callId });
    expect(before.filter(({ type }) => type === 'tool-approval-request')).toMatchObject([
      asked('a'),
      asked('b'),
    ]);
    expect(types(first.push(result('c')))).toEqual(['tool-output-available', 'finish-step', 'finish']);
    const second = new UiTranslator({ sessionId: 's', waiting: ['a', 'b'] });
    const after = translated(second, [
      answer('a', true),
      answer('b', false),
      result('b', false),
      result('a'),
    ]);
    expect(types(after)).toEqual([
      'tool-approval-response',
      'tool-approval-response',
      'tool-output-denied',
      'tool-output-available',
    ]);
    expect(second.isEnded).toBe(false);
  });

  it.each([
    ['cancelled', ['finish', 'abort']],
    ['failed', ['finish', 'error']],
    ['limit', ['data-notice', 'finish']],
  ] as const)('reports the status of a run that did not complete: %s', (status, expected) => {
    expect(types(new UiTranslator({ sessionId: 's' }).push(finished(status)))).toEqual(expected);
  });

  it('sends the text of an answer that broke off once, to early and late readers', () => {
    const later = [
      failed({ content: 'Half', reasoning: 'Hm' }),
      thinking(),
      chunk(' done.'),
      response(' done.'),
    ];
    const streamed = [chunk('Hm', { chunkType: 'reasoning' }), chunk('Half', { partIndex: 1 })];
    const expected = [
      ...['start-step', 'reasoning-start', 'reasoning-delta', 'reasoning-end'],
      ...['text-start', 'text-delta', 'text-end', 'finish-step'],
      ...['start-step', 'text-start', 'text-delta', 'text-end'],
    ];
    for (const events of [later, [...streamed, ...later]]) {
      const chunks = translated(new UiTranslator({ sessionId: 's' }), [thinking(), ...events]);
      expect(types(chunks)).toEqual(expected);
      expect(textOf(chunks)).toBe('Half done.');
    }
  });

  it('continues in the same step after an attempt without output', () => {
    const events = [thinking(), failed(), chunk('Done.'), response('Done.')];
    const chunks = translated(new UiTranslator({ sessionId: 's' }), events);
    expect(types(chunks)).toEqual(['start-step', 'text-start', 'text-delta', 'text-end']);
  });

  it('does not wait for calls of an answer that broke off (a later approval request never ended the stream)', () => {
    const translator = new UiTranslator({ sessionId: 's' });
    const broken = translated(translator, [thinking(), call('a'), failed({ content: 'I look.' })]);
    expect(types(broken).slice(-3)).toEqual([
      'tool-input-start',
      'tool-input-available',
      'tool-output-error',
    ]);
    const asked = event({
      type: 'approval:requested',
      callId: 'b',
      handle: 'm4.0',
      toolName: 'bash',
      args: {},
    });
    translated(translator, [thinking(), call('b'), response(''), asked]);
    expect(translator.isEnded).toBe(true);
  });

  it('waits past the end of the previous run, and reports a message that stays in the queue', () => {
    const waiting = new UiTranslator({ sessionId: 's', awaits: 'q' });
    expect(waiting.push(finished())).toEqual([]);
    expect(types(waiting.push(delivered('p', 'q')))).toEqual(['data-queue']);
    const left = new UiTranslator({ sessionId: 's', awaits: 'q' });
    expect(types(left.push(finished('cancelled')))).toEqual(['data-notice', 'finish']);
  });
});
