// @vitest-environment happy-dom
import type { ResponseOf } from '@longhaul/protocol/api';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, it, vi } from 'vitest';
import { shownSession } from '../data/shown-session.fixture.tsx';
import { RevertDialog } from './revert-dialog.tsx';

afterEach(cleanup);

const file = (path: string) => ({ path, change: 'modified' as const, restorable: true });

it('previews without the files of others, until they are to be restored too', async () => {
  const { server, session, show } = shownSession('s1');
  vi.spyOn(server.client, 'revert').mockImplementation(async (_, { keep }) => {
    const files = keep ? [file('a.txt')] : [file('a.txt'), file('theirs.txt')];
    const same = { handle: 'm1', conversation: true, hides: 2, skipped: [], conflicts: ['theirs.txt'] };
    return { status: 'preview', ...same, files } satisfies ResponseOf<'revert'>;
  });
  show(<RevertDialog session={session} target="m1" onClose={() => {}} />);
  await screen.findByText(/Restores 1 file and hides 2 messages/);
  fireEvent.click(screen.getByLabelText('are restored too'));
  await screen.findByText(/Restores 2 files and hides 2 messages/);
});
