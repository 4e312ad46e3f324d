import { DEFAULT_CONFIG } from '@longhaul/config';
import { expect, it } from 'vitest';
import { runPlaces } from './run-places.ts';

const places = (maxRuns: number | 'auto' | null, room: { memoryMb: number; cores: number }) =>
  runPlaces(
    {
      server: { ...DEFAULT_CONFIG.server, maxRuns },
      sandbox: { ...DEFAULT_CONFIG.sandbox, memoryMb: 2_048 },
    },
    room,
  );

it('allows as many runs as fit into the memory, and at least one', () => {
  expect(places('auto', { memoryMb: 16_384, cores: 8 })).toEqual({
    max: 7,
    reason: '7 of 2,048 MB (sandbox.memoryMb) fit into 16,384 MB',
    warning: undefined,
  });
  expect(places('auto', { memoryMb: 1_024, cores: 8 }).max).toBe(1);
});

it('allows as many runs as the processors can serve', () => {
  expect(places('auto', { memoryMb: 131_072, cores: 2 })).toMatchObject({
    max: 8,
    reason: '4 for each of 2 processors',
  });
});

it('warns if a given number does not fit into the memory', () => {
  const room = { memoryMb: 8_192, cores: 2 };
  expect(places(3, room)).toEqual({ max: 3, reason: 'server.maxRuns', warning: undefined });
  expect(places(20, room).warning).toBe(
    'server.maxRuns is 20, but only 3 of 2,048 MB (sandbox.memoryMb) fit into 8,192 MB: commands can run out of memory. Lower one of them.',
  );
  expect(places(null, room)).toMatchObject({ max: null, warning: expect.stringContaining('is null') });
});
