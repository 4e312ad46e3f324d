import { emitKeypressEvents } from 'node:readline';
import type { MessageQueueService } from '@longhaul/core';
import { toLonghaulError } from '@longhaul/protocol';
import { type Key, LineEditor } from '../render/line-editor.ts';
import type { LiveLine } from '../render/live-line.ts';
import { columnsOf, type Terminal } from '../terminal.ts';

export interface TypeAheadOptions {
  terminal: Terminal;
  queue: MessageQueueService;
  sessionId: string;
  live: Pick<LiveLine, 'insert' | 'setInput'>;
}

export interface TypeAhead extends Disposable {
  /** Leaves the terminal to somebody else until the result is disposed. */
  pause(): Disposable;
}

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

/** What is typed while the agent works: shown below its output, and queued at each Enter. The keys that signal a process still do. */
export function typeAhead({ terminal, queue, sessionId, live }: TypeAheadOptions): TypeAhead {
  const { input, out } = terminal;
  const editor = new LineEditor();
  const show = () => live.setInput(editor.draw(columnsOf(out)));
  const listen = () => {
    input.setRawMode(true);
    out.write(PASTE_ON);
    input.on('keypress', onKey);
    input.resume();
    show();
  };
  /** Also of a process that ends at once: the shell would see the marks around what is pasted into it. */
  const restore = () => {
    out.write(PASTE_OFF);
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
    if (signal !== undefined) return sendSignal(signal, { leave, listen });
    if (editor.press(key)) void send();
    show();
  };
  const send = async () => {
    const text = editor.text.trim();
    editor.clear();
    if (text === '') return;
    live.insert(`› ${text.replaceAll('\n', '\n  ')}\n`);
    try {
      await queue.enqueue(sessionId, [{ type: 'text', text }]);
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
    [Symbol.dispose]() {
      process.off('exit', restore);
      leave();
      const rest = editor.text.trim();
      if (rest !== '') live.insert(`! typed and not sent: ${rest}\n`);
    },
  };
}

/** A terminal that gives every key as it is makes no signals of them. */
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
