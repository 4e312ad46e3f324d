import type { LonghaulEvent } from '@longhaul/protocol';
import { median } from '../median.ts';

const ROUNDS = 10;

/**
 * Measures how soon a request at one server takes effect at another one: a cancel of a session that the first one drives,
 * until a reader at the second one sees the end, and a change of the settings.
 */
export async function timeReactions([first = '', second = '']: readonly string[]): Promise<{
  cancelMs: number;
  settingsMs: number;
}> {
  const cancels: number[] = [];
  const settings: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    cancels.push(await timeCancel(first, second));
    settings.push(await timeSettings(first, second, round));
  }
  return { cancelMs: Math.round(Math.max(...cancels)), settingsMs: Math.round(median(settings)) };
}

async function timeCancel(first: string, second: string): Promise<number> {
  const { id } = (await call(first, 'POST', '/api/sessions', {})) as { id: string };
  const response = await fetch(`${second}/api/sessions/${id}/events?after=0`);
  await call(first, 'POST', `/api/sessions/${id}/messages`, { content: 'go' });
  let rest = '';
  let cancelledAt: number | undefined;
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = `${rest}${piece}`.split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: ?(.*)$/m.exec(frame)?.[1];
      if (data === undefined || data === '') continue;
      const event = JSON.parse(data) as LonghaulEvent;
      if (event.type === 'run:finished') return performance.now() - (cancelledAt ?? Number.NaN);
      if (event.type !== 'llm:chunk' || cancelledAt !== undefined) continue;
      cancelledAt = performance.now();
      void call(second, 'POST', `/api/sessions/${id}/cancel`, {});
    }
  }
  throw new Error('The stream ended before the cancelled run.');
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
