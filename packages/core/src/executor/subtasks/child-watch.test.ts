import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { ChildWatch } from './child-watch.ts';

function titlesAfter(payloads: readonly EventPayload[]): (string | undefined)[] {
  const watch = new ChildWatch({ sessionId: 'child', agent: 'explore', state: 'running' });
  return payloads.map((payload) => {
    watch.take({ ...payload, sessionId: 'child', at: 0 } as LonghaulEvent);
    return watch.facts.title;
  });
}

it('names the tool before each title of its calls', () => {
  expect(
    titlesAfter([
      { type: 'llm:tool-call', toolName: 'list', args: {}, callId: 'a' },
      { type: 'llm:tool-call', toolName: 'bash', args: {}, callId: 'b' },
      { type: 'llm:tool-progress', callId: 'b', title: 'compiling' },
      {
        type: 'llm:tool-result',
        toolName: 'list',
        callId: 'a',
        success: true,
        sanitized: [],
        title: '. (8 entries)',
      },
    ]),
  ).toEqual(['list', 'bash', 'bash compiling', 'list . (8 entries)']);
});
