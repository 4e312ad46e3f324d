import { expect, it } from 'vitest';
import { flushMsOf } from './stop-signals.ts';

it('waits for the collector of telemetry only as long as the grace time and two seconds allow', () => {
  const stopGraceMs = 20_000;
  expect(flushMsOf({ stopGraceMs, sinceMs: 500 })).toBe(3_000);
  expect(flushMsOf({ stopGraceMs, sinceMs: 20_200 })).toBe(1_000);
  expect(flushMsOf({ stopGraceMs, sinceMs: 23_000 })).toBe(200);
});
