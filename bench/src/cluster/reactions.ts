import type { LonghaulEvent } from '@longhaul/protocol';
import { median } from '../median.ts';

const ROUNDS = 10;

/** Milliseconds until a request at one server takes effect at another one. */
export interface Reactions {
  cancelMs: number;
  queueMs: number;
  approvalMs: number;
  settingsMs: number;
}

/**
 * Measures how soon a request at one server takes effect at another one: a cancel, until a reader sees the end; a queued
 * message, until a reader at another server sees it; an approval, until the call has its result; a change of the settings.
 */
export async function timeReactions([first = '', second = '']: readonly string[]): Promise<Reactions> {
  const times: Record<keyof Reactions, number[]> = {
    cancelMs: [],
    queueMs: [],
    approvalMs: [],
    settingsMs: [],
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.queueMs.push(await timeQueue(first, second));
    times.cancelMs.push(await timeCancel(first, second));
    times.approvalMs.push(await timeApproval(first, second));
    times.settingsMs.push(await timeSettings(first, second, round));
  }
  const slowest = (name: keyof Reactions) => Math.round(Math.max(...times[name]));
  return {
    cancelMs: slowest('cancelMs'),
    queueMs: slowest('queueMs'),
    approvalMs: slowest('approvalMs'),
    settingsMs: Math.round(median(times.settingsMs)),
  };
}

async function timeCancel(first: string, second: string): Promise<number> {
  const session = await begin(first, 'go');
  let cancelledAt: number | undefined;
  for await (const event of eventsOf(second, session)) {
    if (event.type === 'run:finished') return performance.now() - (cancelledAt ?? Number.NaN);
    if (event.type !== 'llm:chunk' || cancelledAt !== undefined) continue;
    cancelledAt = performance.now();
    void call(second, 'POST', `${session}/cancel`, {});
  }
  throw new Error('The stream ended before the cancelled run.');
}

async function timeQueue(first: string, second: string): Promise<number> {
  const session = await begin(first, 'go');
  let queuedAt: number | undefined;
  let ms: number | undefined;
  for await (const event of eventsOf(first, session)) {
    if (event.type === 'llm:chunk' && queuedAt === undefined) {
      queuedAt = performance.now();
      void call(second, 'POST', `${session}/messages`, { content: 'And then?' });
    } else if (event.type === 'message:queued' && queuedAt !== undefined) {
      ms = performance.now() - queuedAt;
      void call(first, 'POST', `${session}/cancel`, { clearQueue: true });
    } else if (event.type === 'run:finished' && ms !== undefined) return ms;
  }
  throw new Error('The stream ended before the message was queued.');
}

async function timeApproval(first: string, second: string): Promise<number> {
  const session = await begin(first, 'Write a file');
  let answeredAt: number | undefined;
  let ms: number | undefined;
  for await (const event of eventsOf(first, session)) {
    if (event.type === 'approval:requested') {
      answeredAt = performance.now();
      const { callId, handle } = event;
      void call(second, 'POST', `${session}/approvals/${callId}`, { answer: 'once', handle });
    } else if (event.type === 'llm:tool-result') {
      ms = performance.now() - (answeredAt ?? Number.NaN);
      void call(first, 'POST', `${session}/cancel`, {});
    } else if (event.type === 'run:finished' && ms !== undefined) return ms;
  }
  throw new Error('The stream ended before the approved call.');
}

/** Returns the path of a session that got a message. */
async function begin(base: string, content: string): Promise<string> {
  const { id } = (await call(base, 'POST', '/api/sessions', {})) as { id: string };
  const session = `/api/sessions/${id}`;
  await call(base, 'POST', `${session}/messages`, { content });
  return session;
}

async function* eventsOf(base: string, session: string): AsyncGenerator<LonghaulEvent> {
  const response = await fetch(`${base}${session}/events?after=0`);
  let rest = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = `${rest}${piece}`.split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: ?(.*)$/m.exec(frame)?.[1];
      if (data !== undefined && data !== '') yield JSON.parse(data);
    }
  }
}

async function timeSettings(first: string, second: string, round: number): Promise<number> {
  const strategy = round % 2 === 0 ? 'middle-removal' : 'reactive-overflow';
  const startedAt = performance.now();
  await call(first, 'PUT', '/api/settings', { compression: { strategy } });
  for (;;) {
    const known = (await call(second, 'GET', '/api/settings')) as { compression: { strategy: string } };
    if (known.compression.strategy === strategy) return performance.now() - startedAt;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function call(base: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(base + path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
