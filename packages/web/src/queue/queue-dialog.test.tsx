// @vitest-environment happy-dom
import { LonghaulError, type QueuedMessage } from '@longhaul/protocol';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { shownSession } from '../data/shown-session.fixture.tsx';
import { QueueBadge } from './queue-badge.tsx';

afterEach(cleanup);

let sessions = 0;

async function openQueue(...texts: string[]) {
  sessions += 1;
  const { server, session, show } = shownSession(`session-${sessions}`);
  vi.spyOn(session, 'refresh').mockReturnValue();
  const setQueue = (...left: string[]) =>
    act(() => session.store.setState({ queue: left.map(queued), isRunning: true }));
  setQueue(...texts);
  show(<QueueBadge />);
  fireEvent.click(screen.getByRole('button', { name: `${texts.length} queued` }));
  await screen.findByRole('dialog');
  return { session, id: session.id, client: server.client, setQueue };
}

function queued(text: string): QueuedMessage {
  return { id: `id-${text}`, content: [{ type: 'text', text }], queuedAt: 1 };
}

function editFirst(text: string): void {
  fireEvent.click(screen.getByRole('button', { name: 'Edit message 1' }));
  fireEvent.change(screen.getByRole('textbox'), { target: { value: text } });
}

it('moves a message with its buttons and with Alt and an arrow', async () => {
  const { id, client } = await openQueue('one', 'two');
  const move = vi.spyOn(client.queue, 'move').mockResolvedValue({ messages: [], count: 0 });
  fireEvent.click(screen.getByRole('button', { name: 'Move message 1 down' }));
  await waitFor(() => expect(move).toHaveBeenLastCalledWith(id, 'id-one', 2));
  await screen.findByText('The message is number 2 now.');
  fireEvent.keyDown(screen.getByRole('button', { name: 'Edit message 2' }), { key: 'ArrowUp', altKey: true });
  await waitFor(() => expect(move).toHaveBeenLastCalledWith(id, 'id-two', 1));
  fireEvent.click(screen.getByRole('button', { name: 'Move message 1 up' }));
  expect(move).toHaveBeenCalledTimes(2);
});

it('changes, removes and sends messages', async () => {
  const { id, client } = await openQueue('one', 'two');
  const edit = vi.spyOn(client.queue, 'edit').mockResolvedValue({ ok: true });
  const remove = vi.spyOn(client.queue, 'remove').mockResolvedValue({ ok: true });
  const send = vi.spyOn(client.queue, 'send').mockResolvedValue({ ok: true, cancelled: true });
  editFirst('one, changed');
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(edit).toHaveBeenCalledWith(id, 'id-one', [{ type: 'text', text: 'one, changed' }]),
  );
  await screen.findByRole('button', { name: 'Edit message 1' });
  fireEvent.click(screen.getByRole('button', { name: 'Remove message 2' }));
  await waitFor(() => expect(remove).toHaveBeenCalledWith(id, 'id-two'));
  await screen.findByText('The message is removed.');
  fireEvent.click(screen.getAllByRole('button', { name: 'Send now' })[0] as HTMLElement);
  await waitFor(() => expect(send).toHaveBeenCalledWith(id, 'id-one'));
});

it('keeps the changed text of a message that was delivered in the meantime, and sends it as a new message', async () => {
  const { id, client, setQueue } = await openQueue('one', 'two');
  vi.spyOn(client.queue, 'edit').mockRejectedValue(new LonghaulError('not_found', 'It was delivered.'));
  const sendMessage = vi.spyOn(client, 'sendMessage').mockResolvedValue({ ok: true, queued: false, id: 'x' });
  editFirst('one, changed');
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findAllByText('It was delivered.');
  setQueue('two');
  await screen.findByText(/was delivered or removed while you edited it/);
  expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Your text' }).value).toBe('one, changed');
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  setQueue();
  fireEvent.click(await screen.findByRole('button', { name: 'Unsaved edit' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Send as a new message' }));
  await waitFor(() => expect(sendMessage).toHaveBeenCalledWith(id, [{ type: 'text', text: 'one, changed' }]));
  await screen.findByText('No message waits.');
});

it('names the session that sent a message, and does not offer to edit it', async () => {
  const { session } = await openQueue('two');
  const origin = { kind: 'session', sessionId: 's2', title: 'Other' } as const;
  act(() => session.store.setState({ queue: [{ ...queued('one'), metadata: { origin } }] }));
  await screen.findByText('from session "Other"');
  expect(screen.queryByRole('button', { name: 'Edit message 1' })).toBeNull();
});
