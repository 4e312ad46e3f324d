// @vitest-environment happy-dom
import { LonghaulError } from '@longhaul/protocol';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Toasts } from '../ui/toasts.tsx';
import { Composer, type ComposerProps } from './composer.tsx';

beforeEach(() => localStorage.clear());
afterEach(cleanup);

let drafts = 0;

function open(props: Partial<ComposerProps> = {}) {
  drafts += 1;
  const onSend = vi.fn<ComposerProps['onSend']>(async () => undefined);
  const element = (
    <Toasts>
      <Composer placeholder="Message" draftKey={`draft-${drafts}`} onSend={onSend} {...props} />
    </Toasts>
  );
  render(element);
  return { onSend, element, box: screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' }) };
}

function type(box: HTMLElement, value: string): void {
  fireEvent.change(box, { target: { value } });
}

describe('Composer', () => {
  it('sends with Enter, and begins a line with Shift-Enter', async () => {
    const { box, onSend } = open();
    type(box, ' hello ');
    fireEvent.keyDown(box, { key: 'Enter', shiftKey: true });
    expect(onSend).not.toHaveBeenCalled();
    fireEvent.keyDown(box, { key: 'Enter' });
    await waitFor(() => expect(box.value).toBe(''));
    expect(onSend.mock.calls[0]?.[0]).toEqual([{ type: 'text', text: 'hello' }]);
  });

  it('takes the focus of the composer that it replaces, and no other focus', () => {
    const composer = (key: string) => (
      <Toasts>
        <Composer key={key} placeholder="Message" draftKey={key} onSend={async () => undefined} />
      </Toasts>
    );
    const { rerender } = render(composer('new'));
    const box = () => screen.getByRole('textbox', { name: 'Message' });
    expect(document.activeElement).toBe(document.body);
    box().focus();
    rerender(composer('session'));
    expect(document.activeElement).toBe(box());
    box().blur();
    rerender(composer('another'));
    expect(document.activeElement).toBe(document.body);
  });

  it('does not send while an input method composes a word', () => {
    const { box, onSend } = open();
    type(box, 'にほん');
    fireEvent.keyDown(box, { key: 'Enter', isComposing: true });
    fireEvent.keyDown(box, { key: 'Enter', keyCode: 229 });
    expect(onSend).not.toHaveBeenCalled();
  });

  it('keeps the text and the key of a message that could not be sent', async () => {
    const onSend = vi.fn<ComposerProps['onSend']>(async () => undefined);
    onSend.mockRejectedValueOnce(new LonghaulError('server_unreachable', 'The server does not answer.'));
    const { box } = open({ onSend });
    type(box, 'once');
    fireEvent.keyDown(box, { key: 'Enter' });
    await screen.findAllByText('The server does not answer.');
    expect(box.value).toBe('once');
    fireEvent.keyDown(box, { key: 'Enter' });
    await waitFor(() => expect(box.value).toBe(''));
    const [first, second] = onSend.mock.calls.map(([, key]) => key);
    expect(second).toBe(first);
    type(box, 'once');
    fireEvent.keyDown(box, { key: 'Enter' });
    await waitFor(() => expect(onSend).toHaveBeenCalledTimes(3));
    expect(onSend.mock.calls[2]?.[1]).not.toBe(first);
  });

  it('keeps what is typed while a message is being sent', async () => {
    let arrive = () => undefined as void;
    const onSend = () => new Promise<void>((resolve) => (arrive = resolve));
    const { box } = open({ onSend });
    type(box, 'first');
    fireEvent.keyDown(box, { key: 'Enter' });
    type(box, 'first and second');
    arrive();
    await waitFor(() => expect(box.value).toBe('and second'));
  });

  it('keeps the draft when it is closed and opened again, and with Escape', () => {
    const { box, element } = open();
    type(box, 'half a thought');
    fireEvent.keyDown(box, { key: 'Escape' });
    expect(box.value).toBe('half a thought');
    cleanup();
    render(element);
    expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('half a thought');
  });

  it('shows what was sent before with Up in an empty composer', () => {
    const { box } = open({ history: () => ['newest', 'older'] });
    for (const [key, value] of [
      ['ArrowUp', 'newest'],
      ['ArrowUp', 'older'],
      ['ArrowUp', 'older'],
      ['ArrowDown', 'newest'],
      ['ArrowDown', ''],
    ] as const) {
      fireEvent.keyDown(box, { key });
      expect(box.value).toBe(value);
    }
  });

  it('attaches pasted files, names those that it refuses, and sends the others', async () => {
    const { box, onSend } = open();
    const files = [
      new File(['hello'], 'a.txt'),
      new File(['x'.repeat(200_000)], 'large.txt'),
      new File([new Uint8Array([1, 0, 2])], 'program.bin'),
      new File([''], 'empty.txt'),
    ];
    fireEvent.paste(box, { clipboardData: { files } });
    await screen.findByText('a.txt');
    await screen.findAllByText(/^large.txt has 200.0 kB. A text can have at most 100.0 kB/);
    await screen.findAllByText(/^program.bin cannot be attached/);
    await screen.findAllByText('empty.txt is empty.');
    fireEvent.click(screen.getByRole('button', { name: 'Send' }));
    await waitFor(() => expect(onSend).toHaveBeenCalled());
    expect(onSend.mock.calls[0]?.[0]).toEqual([{ type: 'text', text: 'Attached file a.txt:\nhello' }]);
  });
});
