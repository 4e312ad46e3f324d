// @vitest-environment happy-dom
import { ZERO_USAGE } from '@longhaul/protocol';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { shownSession } from '../data/shown-session.fixture.tsx';
import { ChildSessions } from './child-sessions.tsx';
import { ParentLink } from './parent-link.tsx';
import { sessionInfo } from './session-info.fixture.ts';

afterEach(cleanup);

vi.mock('./session-line.tsx', () => ({
  SessionLine: ({ session }: { session: { title: string } }) => <span>{session.title}</span>,
}));

const spent = { steps: 2, usage: ZERO_USAGE };
const figuresOf = (sessions: number) => ({
  ...spent,
  queued: 0,
  openApprovals: 0,
  ...(sessions > 0 && { children: { sessions, ...spent } }),
});

it('reads the children of a session when they are unfolded, the oldest first', async () => {
  const { server, show } = shownSession('s');
  const list = vi.spyOn(server.client.sessions, 'list').mockResolvedValue({
    sessions: ['Second', 'First'].map((title) => sessionInfo({ id: title, title, figures: figuresOf(0) })),
  });
  const parent = sessionInfo({ id: 'parent', figures: figuresOf(2) });
  show(<ChildSessions session={parent} shown={undefined} />);
  const fold = screen.getByRole('button', { name: '2 child sessions' });
  expect(list).not.toHaveBeenCalled();
  fireEvent.click(fold);
  const lines = await screen.findAllByRole('listitem');
  expect(lines.map(({ textContent }) => textContent)).toEqual(['First', 'Second']);
  expect(list.mock.calls[0]?.[0]).toMatchObject({ parent: 'parent' });
  expect(fold.getAttribute('aria-expanded')).toBe('true');
});

it('shows nothing below a session without children', () => {
  const { show } = shownSession('s');
  const { container } = show(
    <ChildSessions session={sessionInfo({ id: 'p', figures: figuresOf(0) })} shown={undefined} />,
  );
  expect(container.querySelector('.session-children')).toBeNull();
});

it('leads from a child to the call of its parent', async () => {
  const { server, show } = shownSession('s');
  const parent = sessionInfo({ id: 'parent', title: 'Fix the build' });
  vi.spyOn(server.client.sessions, 'get').mockResolvedValue({ ...parent, lastEvent: 1, queued: 0 });
  const place = { handle: 'm2.0', depth: 1, tools: [] };
  const child = {
    ...sessionInfo({ id: 'c', parentId: 'parent', metadata: { subtask: place } }),
    lastEvent: 1,
    queued: 0,
  };
  show(<ParentLink child={child} parentId="parent" />);
  const link = await screen.findByRole('link', { name: 'Back to Fix the build' });
  expect(link.getAttribute('href')).toBe('#/session/parent?message=m2.0');
});
