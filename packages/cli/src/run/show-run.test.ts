import { PassThrough } from 'node:stream';
import { type EventPayload, type LonghaulEvent, ZERO_USAGE } from '@longhaul/protocol';
import { stopClock } from '@longhaul/testing/clock';
import { expect, it, vi } from 'vitest';
import { processTerminal } from '../terminal.ts';
import { showRun } from './show-run.ts';

/** Shows the run of session `s`, with events as a runtime would emit them. */
function shownRun() {
  let listener: ((event: LonghaulEvent) => void) | undefined;
  const runtime = {
    subscribe(given: (event: LonghaulEvent) => void) {
      listener = given;
      return () => undefined;
    },
  };
  const out = new PassThrough().setEncoding('utf8');
  const terminal = { ...processTerminal(), out, env: {} };
  const shown = showRun(runtime, terminal, { sessionId: 's', display: 'progress' });
  const emit = (at: number, payload: EventPayload, sessionId = 's') =>
    listener?.({ ...payload, sessionId, at });
  return { shown, emit, text: () => String(out.read() ?? '') };
}

const FINISHED = {
  type: 'run:finished',
  status: 'completed',
  stepCount: 1,
  usage: ZERO_USAGE,
  text: '',
  compactions: 0,
} as const;

it.each([
  ['back', -86_400_000],
  ['forward', 86_400_000],
])('shows how long a run took though the clock was set %s during it', (_, step) => {
  stopClock();
  const { shown, emit, text } = shownRun();
  using _shown = shown;
  emit(100_000_000, { type: 'run:started', runId: 'r', task: 't', model: 'm' });
  vi.advanceTimersByTime(7_000);
  emit(100_000_000 + step, { ...FINISHED, runId: 'r' });
  expect(text()).toContain(' in 7.0 s');
});

it('shows nothing of a child that runs and ends during the run', () => {
  const { shown, emit, text } = shownRun();
  using _shown = shown;
  emit(1, { type: 'run:started', runId: 'r', task: 't', model: 'm' });
  emit(2, { type: 'run:started', runId: 'c', task: 'part', model: 'm' }, 'child');
  emit(3, { ...FINISHED, runId: 'c' }, 'child');
  expect(shown.finished).toBeUndefined();
  expect(text()).not.toContain('Done');
  emit(4, { ...FINISHED, runId: 'r', stepCount: 5 });
  expect(shown.finished?.stepCount).toBe(5);
  expect(text()).toContain('Done');
});
