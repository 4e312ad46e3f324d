// @vitest-environment happy-dom
import type { ResponseOf } from '@longhaul/protocol/api';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { shownSession } from '../data/shown-session.fixture.tsx';
import { UnrevertButton } from './unrevert-button.tsx';

afterEach(cleanup);

const resultOf = (status: string, conflicts: string[] = []) =>
  ({ status, conflicts }) as unknown as ResponseOf<'unrevert'>;

function open() {
  const { server, session, show } = shownSession('s1');
  vi.spyOn(session, 'refreshMessages').mockReturnValue();
  const unrevert = vi.spyOn(server.client, 'unrevert').mockResolvedValueOnce(resultOf('blocked', ['a.txt']));
  show(<UnrevertButton />);
  fireEvent.click(screen.getByRole('button', { name: 'Undo the newest revert' }));
  return unrevert;
}

it.each([
  ['stay as they are', { keep: true }],
  ['are restored too', { force: true }],
])('asks about files that somebody else changed: they %s', async (label, body) => {
  const unrevert = open();
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
  const unrevert = open();
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByText('a.txt')).toBeNull());
  expect(unrevert).toHaveBeenCalledTimes(1);
});
