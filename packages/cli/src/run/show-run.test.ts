import { PassThrough } from 'node:stream';
import { type EventPayload, type LonghaulEvent, ZERO_USAGE } from '@longhaul/protocol';
import { stopClock } from '@longhaul/testing/clock';
import { expect, it, vi } from 'vitest';
import { processTerminal } from '../terminal.ts';
import { showRun } from './show-run.ts';

it.each([
  ['back', -86_400_000],
  ['forward', 86_400_000],
])('shows how long a run took though the clock was set %s during it', (_, step) => {
  stopClock();
  let listener: ((event: LonghaulEvent) => void) | undefined;
  const runtime = {
    subscribe(given: (event: LonghaulEvent) => void) {
      listener = given;
      return () => undefined;
    },
  };
  const out = new PassThrough().setEncoding('utf8');
  const terminal = { ...processTerminal(), out, env: {} };
  const emit = (at: number, payload: EventPayload) => listener?.({ ...payload, sessionId: 's', at });
  using _shown = showRun(runtime, terminal, { display: 'progress' });
  emit(100_000_000, { type: 'run:started', runId: 'r', task: 't', model: 'm' });
  vi.advanceTimersByTime(7_000);
  emit(100_000_000 + step, {
    type: 'run:finished',
    runId: 'r',
    status: 'completed',
    stepCount: 1,
    usage: ZERO_USAGE,
    text: '',
    compactions: 0,
  });
  expect(out.read()).toContain(' in 7.0 s');
});
