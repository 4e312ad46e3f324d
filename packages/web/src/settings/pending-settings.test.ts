import type { Settings } from '@longhaul/protocol/api';
import { expect, it } from 'vitest';
import { withPending } from './pending-settings.ts';

const stored: Settings = {
  pruningAgentId: 'gone',
  pruningAgent: { model: '__same__', notice: 'The agent no longer exists.' },
  compression: {
    strategy: 'middle-removal',
    trigger: 'manual',
    auto: true,
    model: '__same__',
    options: {},
  } as unknown as Settings['compression'],
  changed: {},
};

it('shows the newest of the changes that are being saved', () => {
  const changes = [{ compression: { auto: false } }, { compression: { auto: true, trigger: null } }];
  expect(withPending(stored, changes).compression).toEqual({ ...stored.compression, trigger: null });
  expect(withPending(stored, changes.slice(0, 1)).compression.auto).toBe(false);
  expect(withPending(stored, [])).toBe(stored);
});

it('keeps a value that is reset, because only the server knows its default', () => {
  const reset = { pruningAgentId: null, compression: { strategy: null, auto: null } };
  expect(withPending(stored, [reset])).toEqual(stored);
});

it('does not show the notice of the former agent beside a new one', () => {
  const { pruningAgentId, pruningAgent } = withPending(stored, [{ pruningAgentId: 'none' }]);
  expect([pruningAgentId, pruningAgent]).toEqual(['none', undefined]);
});
