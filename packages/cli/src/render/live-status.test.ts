import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { LiveStatus } from './live-status.ts';

const at = (time: number, payload: EventPayload): LonghaulEvent => ({ ...payload, sessionId: 's', at: time });

describe('LiveStatus', () => {
  it('shows the model thinking, then the tool that runs with its last line, then nothing', () => {
    const status = new LiveStatus();
    expect(status.text(0, 80)).toBeUndefined();
    status.update(at(0, { type: 'run:started', runId: 'r', task: 't', model: 'm' }));
    expect(status.text(500, 80)).toBe('opening the sandbox 0.5 s');
    status.update(at(600, { type: 'session:status', status: 'busy' }));
    expect(status.text(700, 80)).toBeUndefined();
    status.update(at(1_000, { type: 'llm:thinking' }));
    expect(status.text(3_500, 80)).toBe('thinking 2.5 s');
    status.update(
      at(4_000, { type: 'llm:tool-call', toolName: 'bash', args: { command: 'npm test' }, callId: 'a' }),
    );
    status.update(at(4_000, { type: 'llm:tool-call', toolName: 'read', args: { path: 'x' }, callId: 'b' }));
    status.update(
      at(4_000, { type: 'llm:response', content: '', provider: 'p', model: 'm', finishReason: 'tool-calls' }),
    );
    status.update(at(5_000, { type: 'llm:tool-progress', callId: 'a', title: '12 passed' }));
    expect(status.text(6_000, 80)).toBe('bash npm test +1 · 12 passed 2.0 s');
    status.update(
      at(7_000, { type: 'llm:tool-result', toolName: 'bash', callId: 'a', success: true, sanitized: [] }),
    );
    status.update(
      at(7_000, { type: 'llm:tool-result', toolName: 'read', callId: 'b', success: true, sanitized: [] }),
    );
    expect(status.text(7_000, 80)).toBeUndefined();
  });

  it('counts down to the next try', () => {
    const status = new LiveStatus();
    status.update(at(1_000, { type: 'llm:retry', attempt: 1, delayMs: 4_000, reason: 'busy' }));
    status.update(at(1_000, { type: 'session:status', status: 'retrying' }));
    expect(status.text(2_000, 80)).toBe('next try in 3.0 s');
  });
});
