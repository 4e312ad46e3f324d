import { drivingRun, type EnqueueResult, queuedText } from '@longhaul/core';
import { attachments } from '../attach/attachments.ts';
import { SEND_FLAGS } from '../command-line/flags.ts';
import { oneOf, type ParsedFlags, parseFlags, usage } from '../command-line/parse-flags.ts';
import { wrapText } from '../render/word-wrapper.ts';
import { watchInterrupts } from '../run/interrupt.ts';
import { originFrom } from '../run/origin-from.ts';
import { readWords, typedWords } from '../run/read-task.ts';
import { type FoundSession, withSession } from '../session/with-session.ts';
import { columnsOf, type Terminal } from '../terminal.ts';

interface Sending {
  session: string;
  text: string;
  words: readonly string[];
  values: ParsedFlags<typeof SEND_FLAGS>['values'];
  typed: readonly string[];
}

/** `longhaul send`: sends a message to a session, and waits for the answer if that is wanted. */
export async function send(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'send', SEND_FLAGS);
  const [session, ...words] = positionals;
  if (session === undefined) throw usage('Name a session: longhaul send ID "text".', 'send');
  if (values.id !== undefined && !/^[\w.:-]{1,128}$/.test(values.id))
    throw usage('--id takes 1 to 128 characters: letters, digits, and . : _ -', 'send');
  const isPiped = words.length === 0 && terminal.input.isTTY !== true;
  const text = await readWords(isPiped ? ['-'] : words, { input: terminal.input, command: 'send' });
  if (text === '')
    throw usage(
      'The message is empty. Write it, longhaul send ID "text", or pass it on standard input.',
      'send',
    );
  const sending = { session, text, words, values, typed: ['send', ...argv] };
  const unused = (['sandbox', 'yes', 'assume-ended'] as const).find((name) => values[name] !== undefined);
  if (values.wait !== true && unused !== undefined)
    throw usage(`--${unused} works only with --wait: without it, no run is started.`, 'send');
  if (values.wait === true) return await sendAndWait(sending, terminal);
  return await withSession(session, { values, terminal, access: 'change', typed: sending.typed }, (found) =>
    enqueue(found, sending, terminal),
  );
}

async function enqueue(
  { runtime, store, session }: FoundSession,
  { text, words, values }: Sending,
  terminal: Terminal,
): Promise<number> {
  const origin = await originFrom(store, values.from, session);
  // A message of another session attaches nothing.
  const input = { text: typedWords(words), images: [], folder: terminal.cwd };
  const files = origin === undefined ? await attachments(input, session.workspace) : [];
  const content = [{ type: 'text' as const, text }, ...files];
  const queued = await runtime.queue.enqueue(session.id, content, { id: values.id, origin });
  const holder = await drivingRun(store, session.id);
  const { id, position } = queued;
  const { pid, host } = holder?.owner ?? {};
  const message = queuedText(position);
  terminal.out.write(
    values.json
      ? `${JSON.stringify({ ok: true, queued: true, id, position, message, pid, host })}\n`
      : wrapText(reportOf(queued, holder?.owner), columnsOf(terminal.out)),
  );
  return 0;
}

function reportOf({ position }: EnqueueResult, owner: { pid: number; host: string } | undefined): string {
  return owner === undefined
    ? `Queued at position ${position}. No run works on this session: longhaul resume delivers the message, or add --wait.`
    : `Queued at position ${position}. Process ${owner.pid} on ${owner.host} works on this session and receives it before its next step.`;
}

async function sendAndWait(
  { session, text, words, values, typed }: Sending,
  terminal: Terminal,
): Promise<number> {
  const { runTask } = await import('../run/run-task.ts');
  using interrupt = watchInterrupts(terminal, () =>
    terminal.err.write('\nStopping; Ctrl-C again ends at once.\n'),
  );
  const input = { text: typedWords(words), images: [], folder: terminal.cwd };
  return await runTask({
    session,
    isSending: true,
    task: text,
    ...(values.from === undefined ? { input } : {}),
    from: values.from,
    messageId: values.id,
    flags: { sandbox: { driver: oneOf(values.sandbox, '--sandbox', SEND_FLAGS.sandbox.values) } },
    terminal,
    signal: interrupt.signal,
    place: values,
    choice: {},
    acceptAll: values.yes === true,
    assumeEnded: values['assume-ended'],
    display: values.json ? 'events' : 'answer',
    all: values.all,
    typed,
    resumeFlags: [],
  });
}
