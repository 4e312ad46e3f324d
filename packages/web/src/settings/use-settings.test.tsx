// @vitest-environment happy-dom
import { LonghaulError } from '@longhaul/protocol';
import type { Settings } from '@longhaul/protocol/api';
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { ServerContext } from '../data/server.ts';
import { silentServer } from '../data/shown-session.fixture.tsx';
import { useSettings } from './use-settings.ts';

afterEach(cleanup);

const settingsWith = (auto: boolean) => ({ compression: { auto }, changed: {} }) as unknown as Settings;

async function open() {
  const server = silentServer();
  const { settings } = server.client;
  const get = vi.spyOn(settings, 'get').mockResolvedValue(settingsWith(true));
  const answer = Promise.withResolvers<Settings>();
  vi.spyOn(settings, 'set').mockReturnValue(answer.promise);
  const wrapper = ({ children }: { children: ReactNode }) => (
    <ServerContext value={server}>{children}</ServerContext>
  );
  const { result } = renderHook(() => useSettings(() => undefined), { wrapper });
  const auto = () => result.current.settings?.compression.auto;
  await waitFor(() => expect(auto()).toBe(true));
  act(() => void result.current.save({ compression: { auto: false } }, 'Automatic compaction: off'));
  return { get, answer, auto, result };
}

it('shows a change while it is saved, and after it before the settings are read again', async () => {
  const { get, answer, auto, result } = await open();
  expect(auto()).toBe(false);
  get.mockReturnValue(new Promise(() => undefined));
  await act(async () => answer.resolve(settingsWith(false)));
  expect(result.current.result?.kind).toBe('saved');
  expect(auto()).toBe(false);
});

it('shows the stored value again if saving fails', async () => {
  const { answer, auto, result } = await open();
  expect(auto()).toBe(false);
  await act(async () => answer.reject(new LonghaulError('config_invalid', 'Not allowed.')));
  expect(result.current.result).toEqual({ kind: 'failed', words: 'Not saved: Not allowed.' });
  expect(auto()).toBe(true);
});
