// @vitest-environment happy-dom
import type { LonghaulClient } from '@longhaul/client';
import type { ListedMessage } from '@longhaul/protocol/api';
import { act, cleanup, render } from '@testing-library/react';
import { useRef } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OpenSession } from '../data/open-session.ts';
import { SessionContext } from '../data/use-session.ts';
import { useEarlierMessages } from './use-earlier-messages.ts';

let session: OpenSession;
let read: ReturnType<typeof vi.spyOn>;
let top: number;

function Scroller() {
  const ref = useRef<HTMLDivElement>(null);
  const { onScroll } = useEarlierMessages(ref);
  return <div ref={ref} data-testid="scroller" onScroll={onScroll} />;
}

const settle = () => act(() => vi.advanceTimersByTimeAsync(1_000));
const show = (first: number, hasEarlier = true) =>
  session.store.setState({ messages: [{ id: `id-${first}` }] as unknown as ListedMessage[], hasEarlier });

async function open(): Promise<HTMLElement> {
  show(90);
  const { getByTestId } = render(
    <SessionContext value={session}>
      <Scroller />
    </SessionContext>,
  );
  const element = getByTestId('scroller');
  Object.defineProperty(element, 'scrollTop', { get: () => top });
  await settle();
  return element;
}

beforeEach(() => {
  vi.useFakeTimers();
  session = new OpenSession({} as LonghaulClient, 's1');
  read = vi.spyOn(session, 'readEarlier').mockResolvedValue();
  top = 50_000;
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it('reads nothing while the beginning is far', async () => {
  const scroller = await open();
  act(() => void scroller.dispatchEvent(new Event('scroll')));
  expect(read).not.toHaveBeenCalled();
});

it('reads when the messages do not fill the screen, until there are no earlier ones', async () => {
  top = 0;
  await open();
  expect(read).toHaveBeenCalledTimes(1);
  act(() => show(40));
  await settle();
  expect(read).toHaveBeenCalledTimes(2);
  act(() => show(1, false));
  await settle();
  expect(read).toHaveBeenCalledTimes(2);
});

it.each(['scroll', 'wheel', 'keydown', 'touchmove'])('reads at the beginning after %s', async (name) => {
  const scroller = await open();
  top = 0;
  await act(async () => void scroller.dispatchEvent(new Event(name)));
  expect(read).toHaveBeenCalledTimes(1);
});

it('tries again with the next scroll after a failure, also at the very beginning', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  read.mockRejectedValueOnce(new Error('No answer.'));
  const scroller = await open();
  top = 0;
  await act(async () => void scroller.dispatchEvent(new Event('scroll')));
  await act(async () => void scroller.dispatchEvent(new Event('wheel')));
  expect(read).toHaveBeenCalledTimes(2);
});
