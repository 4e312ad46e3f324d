// @vitest-environment happy-dom
import type { ResponseOf } from '@longhaul/protocol/api';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { shownSession } from '../data/shown-session.fixture.tsx';
import { UnrevertButton } from './unrevert-button.tsx';

afterEach(cleanup);

const resultOf = (status: string, conflicts: string[] = []) =>
  ({ status, conflicts }) as unknown as ResponseOf<'unrevert'>;

function shown() {
  const { server, session, show } = shownSession('s1');
  const tree = (canUnrevert: boolean) => ({ branches: [], head: 0, canUnrevert });
  const read = vi.spyOn(server.client, 'tree').mockResolvedValue(tree(true));
  const events = vi.spyOn(session, 'onEvent');
  const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Undo the newest revert' });
  return { server, session, show, tree, read, events, button };
}

async function open() {
  const { server, session, show, button } = shown();
  vi.spyOn(session, 'refreshMessages').mockReturnValue();
  const unrevert = vi.spyOn(server.client, 'unrevert').mockResolvedValueOnce(resultOf('blocked', ['a.txt']));
  show(<UnrevertButton />);
  await waitFor(() => expect(button().disabled).toBe(false));
  fireEvent.click(button());
  return unrevert;
}

it('is offered only if there is a revert to undo, also after one of another tab', async () => {
  const { show, tree, read, events, button } = shown();
  read.mockResolvedValue(tree(false));
  show(<UnrevertButton />);
  await waitFor(() => expect(read).toHaveBeenCalledTimes(1));
  expect(button().disabled).toBe(true);
  read.mockResolvedValue(tree(true));
  const reverted = { type: 'session:reverted', handle: 'm1', files: 1, conversation: false } as const;
  for (const [listener] of events.mock.calls) listener({ ...reverted, sessionId: 's1', at: 1 });
  await waitFor(() => expect(button().disabled).toBe(false));
});

it.each([
  ['stay as they are', { keep: true }],
  ['are restored too', { force: true }],
])('asks about files that somebody else changed: they %s', async (label, body) => {
  const unrevert = await open();
  await screen.findByText('a.txt');
  expect(unrevert).toHaveBeenLastCalledWith('s1', {});
  unrevert.mockResolvedValueOnce(resultOf('reverted'));
  fireEvent.click(screen.getByLabelText(label));
  fireEvent.click(screen.getByRole('button', { name: 'Undo the revert' }));
  await waitFor(() => expect(unrevert).toHaveBeenLastCalledWith('s1', body));
  await screen.findByText('The revert is undone.');
  await waitFor(() => expect(screen.queryByText('a.txt')).toBeNull());
});

it('changes nothing when the question is cancelled', async () => {
  const unrevert = await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByText('a.txt')).toBeNull());
  expect(unrevert).toHaveBeenCalledTimes(1);
});
