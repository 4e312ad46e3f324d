import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { LiveStatus } from './live-status.ts';

const at = (time: number, payload: EventPayload): LonghaulEvent => ({ ...payload, sessionId: 's', at: time });

describe('LiveStatus', () => {
  it('shows the model thinking, then the tool that runs with its last line, then nothing', () => {
    const status = new LiveStatus();
    expect(status.lines(0, 80)).toEqual([]);
    status.update(at(0, { type: 'run:started', runId: 'r', task: 't', model: 'm' }));
    expect(status.lines(500, 80)).toEqual(['opening the sandbox 0.5 s']);
    status.update(at(600, { type: 'session:status', status: 'busy' }));
    expect(status.lines(700, 80)).toEqual([]);
    status.update(at(1_000, { type: 'llm:thinking' }));
    expect(status.lines(3_500, 80)).toEqual(['thinking 2.5 s']);
    status.update(
      at(4_000, { type: 'llm:tool-call', toolName: 'bash', args: { command: 'npm test' }, callId: 'a' }),
    );
    status.update(at(4_000, { type: 'llm:tool-call', toolName: 'read', args: { path: 'x' }, callId: 'b' }));
    status.update(
      at(4_000, { type: 'llm:response', content: '', provider: 'p', model: 'm', finishReason: 'tool-calls' }),
    );
    status.update(at(5_000, { type: 'llm:tool-progress', callId: 'a', title: '12 passed' }));
    expect(status.lines(6_000, 80)).toEqual(['bash npm test +1 · 12 passed 2.0 s']);
    status.update(
      at(7_000, { type: 'llm:tool-result', toolName: 'bash', callId: 'a', success: true, sanitized: [] }),
    );
    status.update(
      at(7_000, { type: 'llm:tool-result', toolName: 'read', callId: 'b', success: true, sanitized: [] }),
    );
    expect(status.lines(7_000, 80)).toEqual([]);
  });

  it('shows the last lines of a command below it', () => {
    const status = new LiveStatus();
    status.update(at(0, { type: 'llm:tool-call', toolName: 'bash', args: { command: 'make' }, callId: 'a' }));
    const metadata = { lines: ['one', 'two \u001b[2J', 'x'.repeat(100)] };
    status.update(at(0, { type: 'llm:tool-progress', callId: 'a', title: 'x', metadata }));
    expect(status.lines(1_000, 40)).toEqual(['bash make 1.0 s', 'one', 'two [2J', `${'x'.repeat(39)}…`]);
  });

  it('shows the end of the line that the model writes', () => {
    const status = new LiveStatus();
    const write = (content: string) =>
      status.update(
        at(1_000, { type: 'llm:chunk', chunkType: 'text', content, messageId: 'm', partIndex: 0, offset: 0 }),
      );
    write('First line.\nThe second');
    write(' line is long');
    expect(status.lines(3_000, 40)).toEqual(['writing The second line is long 2.0 s']);
    expect(status.lines(3_000, 30)).toEqual(['writing …nd line is long 2.0 s']);
  });

  it('counts down to the next try', () => {
    const status = new LiveStatus();
    status.update(at(1_000, { type: 'llm:retry', attempt: 1, delayMs: 4_000, reason: 'busy' }));
    status.update(at(1_000, { type: 'session:status', status: 'retrying' }));
    expect(status.lines(2_000, 80)).toEqual(['next try in 3.0 s']);
  });
});
