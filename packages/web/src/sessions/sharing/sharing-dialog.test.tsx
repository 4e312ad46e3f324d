// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { shownSession } from '../../data/shown-session.fixture.tsx';
import { sessionInfo } from '../session-info.fixture.ts';
import { SessionList } from '../session-list.ts';
import { SessionListContext } from '../use-session-list.ts';
import { SharingDialog } from './sharing-dialog.tsx';
import { SharingMark } from './sharing-mark.tsx';

afterEach(cleanup);

const OF_ANN = { id: 's', owner: 'ann', shared: 'none' } as const;

it('lets the owner share a session', async () => {
  const { server, show } = shownSession('s');
  const update = vi
    .spyOn(server.client.sessions, 'update')
    .mockResolvedValue(sessionInfo({ ...OF_ANN, shared: 'read' }));
  const onClose = vi.fn();
  show(
    <SessionListContext value={new SessionList(server.client)}>
      <SharingDialog session={sessionInfo({ ...OF_ANN, may: 'own' })} onClose={onClose} />
    </SessionListContext>,
  );
  fireEvent.click(screen.getByLabelText('Others can read it'));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(update.mock.calls).toEqual([['s', { shared: 'read' }]]);
});

it('tells others whose session it is, and changes nothing', () => {
  const { server, show } = shownSession('s');
  show(
    <SessionListContext value={new SessionList(server.client)}>
      <SharingDialog session={sessionInfo({ ...OF_ANN, shared: 'work', may: 'work' })} onClose={vi.fn()} />
    </SessionListContext>,
  );
  expect(screen.getByText('ann')).toBeDefined();
  expect(screen.getByText(/^Others can read it and work in it/)).toBeDefined();
  expect(screen.queryByRole('radio')).toBe(null);
});

it.each([
  [{ owner: 'ann', shared: 'none', isOwn: true } as const, ''],
  [{ owner: 'ann', shared: 'read', isOwn: true } as const, 'shared'],
  [{ owner: 'ann', shared: 'work', isOwn: false } as const, 'of ann · shared'],
])('marks a session %o in the list', (fields, words) => {
  const { show } = shownSession('s');
  show(
    <div data-testid="mark">
      <SharingMark session={sessionInfo({ id: 's', ...fields })} />
    </div>,
  );
  expect(screen.getByTestId('mark').textContent).toBe(words);
});
