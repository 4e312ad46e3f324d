import { emitKeypressEvents } from 'node:readline';
import type { MessageQueueService } from '@longhaul/core';
import { isBlank, toLonghaulError } from '@longhaul/protocol';
import { type Key, LineEditor } from '../render/line-editor.ts';
import type { LiveLine } from '../render/live-line.ts';
import { writeControls } from '../safe-terminal.ts';
import { columnsOf, type Terminal } from '../terminal.ts';

export interface TypeAheadOptions {
  terminal: Terminal;
  queue: MessageQueueService;
  sessionId: string;
  live: Pick<LiveLine, 'insert' | 'setInput'>;
  /** Text that was typed before. */
  draft?: string;
}

export interface TypeAhead extends Disposable {
  /** Leaves the terminal to a question until the result is disposed. */
  pause(): Disposable;
  /** Resolves once every line that was entered is queued or shown as not sent, with the ids of the queued ones. */
  settled(): Promise<readonly string[]>;
  /**
   * After the run: offers to send the text that was typed and not entered. Resolves with the text at Enter; with
   * undefined if there is none, at Ctrl-C and at an abort. Text that is not sent is printed when this is disposed.
   */
  offerRest(signal: AbortSignal): Promise<string | undefined>;
  /** Takes the text that was typed and not entered. */
  takeDraft(): string;
}

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

/**
 * Shows what is typed while the agent works below its output, and queues it at each Enter. Keys that signal a process
 * still do.
 */
export function typeAhead({ terminal, queue, sessionId, live, draft = '' }: TypeAheadOptions): TypeAhead {
  const { input, out } = terminal;
  const editor = new LineEditor();
  if (draft !== '') editor.press({ sequence: draft });
  const sending = new Set<Promise<void>>();
  const queuedIds: string[] = [];
  /** Set while the rest is offered. */
  let onRest: ((text: string | undefined) => void) | undefined;
  const show = () => live.setInput(editor.draw(columnsOf(out)));
  const listen = () => {
    input.setRawMode(true);
    writeControls(out, PASTE_ON);
    input.on('keypress', onKey);
    input.resume();
    show();
  };
  /** Also for a process that ends at once: the shell would see the marks around what is pasted into it. */
  const restore = () => {
    writeControls(out, PASTE_OFF);
    input.setRawMode(false);
  };
  const leave = () => {
    input.off('keypress', onKey);
    live.setInput(undefined);
    restore();
    input.pause();
  };
  const onKey = (_text: string | undefined, key: Key) => {
    const signal = key.ctrl === true ? SIGNAL_KEYS[key.name ?? ''] : undefined;
    if (signal === 'SIGINT' && onRest !== undefined) return onRest(undefined);
    if (signal !== undefined) return sendSignal(signal, { leave, listen });
    if (editor.press(key)) enter();
    show();
  };
  const enter = () => {
    const text = takeText();
    if (onRest !== undefined) return onRest(text === '' ? undefined : text);
    if (text === '') return;
    const sent = send(text).finally(() => sending.delete(sent));
    sending.add(sent);
  };
  const takeText = () => {
    const text = editor.text.trim();
    editor.clear();
    return text;
  };
  const send = async (text: string) => {
    live.insert(`› ${text.replaceAll('\n', '\n  ')}\n`);
    try {
      const { id } = await queue.enqueue(sessionId, [{ type: 'text', text }]);
      queuedIds.push(id);
    } catch (error) {
      live.insert(`! not sent: ${toLonghaulError(error).message}\n`);
    }
  };

  process.once('exit', restore);
  emitKeypressEvents(input);
  listen();
  return {
    pause() {
      leave();
      return { [Symbol.dispose]: listen };
    },
    async settled() {
      await Promise.all(sending);
      return queuedIds;
    },
    async offerRest(signal) {
      if (isBlank(editor.text) || signal.aborted) return undefined;
      live.insert('The run has ended. Enter sends this line as the next message, Ctrl-C does not.\n');
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const onEnd = () => resolve(undefined);
      onRest = resolve;
      signal.addEventListener('abort', onEnd);
      input.once('end', onEnd);
      try {
        return await promise;
      } finally {
        onRest = undefined;
        signal.removeEventListener('abort', onEnd);
        input.off('end', onEnd);
      }
    },
    takeDraft: takeText,
    [Symbol.dispose]() {
      process.off('exit', restore);
      leave();
      const rest = editor.text.trim();
      if (rest !== '') live.insert(`! typed and not sent: ${rest}\n`);
    },
  };
}

/** A terminal in raw mode passes every key, and turns none into a signal. */
const SIGNAL_KEYS: Readonly<Record<string, NodeJS.Signals>> = { c: 'SIGINT', z: 'SIGTSTP', '\\': 'SIGQUIT' };

function sendSignal(
  signal: NodeJS.Signals,
  { leave, listen }: { leave: () => void; listen: () => void },
): void {
  if (signal !== 'SIGTSTP') {
    process.kill(process.pid, signal);
    return;
  }
  // Stopped, the terminal belongs to the shell.
  leave();
  process.once('SIGCONT', listen);
  process.kill(process.pid, signal);
}
