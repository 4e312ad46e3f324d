// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import type { InboxItem } from './inbox.ts';
import { RequestPlace } from './request-place.tsx';

afterEach(cleanup);

const item: InboxItem = {
  sessionId: 'child',
  callId: 'c1',
  handle: 'm2.0',
  toolName: 'bash',
  args: {},
  requestedAt: 0,
  title: 'Run the tests',
};

it('names the parent of a child that asks, and links to both', () => {
  const { container } = render(
    <RequestPlace approval={{ ...item, parent: { id: 'parent', title: 'Fix the parser' } }} />,
  );
  expect(container.textContent).toContain('Run the tests, a child of Fix the parser ·');
  const addresses = [...container.querySelectorAll('a')].map((link) => link.getAttribute('href'));
  expect(addresses).toEqual([
    expect.stringContaining('session/child'),
    expect.stringContaining('session/parent'),
  ]);
});

it('names only the session if it has no parent', () => {
  const { container } = render(<RequestPlace approval={item} />);
  expect(container.querySelectorAll('a')).toHaveLength(1);
  expect(container.textContent).not.toContain('child');
});
