import { type MessageQueueService, queuedText } from '@longhaul/core';
import {
  LonghaulError,
  originName,
  originOf,
  type QueuedMessage,
  suggestion,
  type UserMessageContentPart,
} from '@longhaul/protocol';
import { attachments } from '../attach/attachments.ts';
import { QUEUE_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { fitLine, formatDuration, plural } from '../render/format.ts';
import { readWords, typedWords } from '../run/read-task.ts';
import { withSession } from '../session/with-session.ts';
import { columnsOf, type Terminal } from '../terminal.ts';

interface Work {
  queue: MessageQueueService;
  sessionId: string;
  words: readonly string[];
  /** Reads the text of these words; `-` is standard input. */
  read: (words: readonly string[]) => Promise<string>;
  /** Returns the files that these words name. */
  attached: (words: readonly string[]) => Promise<UserMessageContentPart[]>;
  columns: number;
}

/** The output of an action, for programs and for a person. */
interface Answer {
  json: object | readonly object[];
  text: string;
}

const ACTIONS: Readonly<Record<string, (work: Work) => Promise<Answer>>> = { list, add, edit, remove, clear };

/** `longhaul queue`: lists and changes the messages that wait for a session. */
export async function queue(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'queue', QUEUE_FLAGS);
  const [id, name = 'list', ...words] = positionals;
  if (id === undefined) throw usage('Name a session: longhaul queue ID.', 'queue');
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    const hint = suggestion(name, Object.keys(ACTIONS), (action) => action);
    throw usage(
      `There is no action "${name}".${hint} Actions are list, add, edit, remove and clear.`,
      'queue',
    );
  }
  return await withSession(
    id,
    { values, terminal, access: name === 'list' ? 'read' : 'change', typed: ['queue', ...argv] },
    async ({ runtime, session }) => {
      const columns = columnsOf(terminal.out);
      const read = (some: readonly string[]) => readWords(some, { input: terminal.input, command: 'queue' });
      const attached = (some: readonly string[]) =>
        attachments({ text: typedWords(some), images: [], folder: terminal.cwd }, session.workspace);
      const work = { attached, queue: runtime.queue, sessionId: session.id, words, read, columns };
      const { json, text } = await action(work);
      terminal.out.write(values.json ? `${JSON.stringify(json)}\n` : text);
      return 0;
    },
  );
}

async function list({ queue, sessionId, columns }: Work): Promise<Answer> {
  const waiting = await queue.list(sessionId);
  const now = Date.now();
  const lines = waiting.map((message, index) => {
    const since = `${formatDuration(now - message.queuedAt)} ago`;
    const place = `${index + 1}`.padStart(2);
    return `${place}  ${fitLine(`${fromOf(message)}${textOf(message)}`, columns - since.length - 6)}  ${since}\n    ${message.id}\n`;
  });
  return { json: waiting, text: lines.join('') || 'No message waits for this session.\n' };
}

async function add({ queue, sessionId, words, read, attached }: Work): Promise<Answer> {
  const text = await read(words);
  if (text === '') throw usage('Write the message: longhaul queue ID add "text".', 'queue');
  const { id, position } = await queue.enqueue(sessionId, [
    { type: 'text', text },
    ...(await attached(words)),
  ]);
  return {
    json: { ok: true, queued: true, id, position, message: queuedText(position) },
    text: `Queued at position ${position}. The run of the session receives it before its next step; without a run, longhaul resume delivers it.\n`,
  };
}

async function edit({ queue, sessionId, words: [named, ...rest], read, attached }: Work): Promise<Answer> {
  const text = await read(rest);
  if (text === '') throw usage('Name a message and its new text: longhaul queue ID edit 1 "text".', 'queue');
  const { id, position } = await findQueued(queue, sessionId, named);
  const edited = await queue.edit(sessionId, id, [{ type: 'text', text }, ...(await attached(rest))]);
  if (!edited) throw takenMeanwhile();
  return { json: { id, edited }, text: `Changed the message at position ${position}.\n` };
}

async function remove({ queue, sessionId, words: [named] }: Work): Promise<Answer> {
  const { id, position } = await findQueued(queue, sessionId, named);
  const removed = await queue.remove(sessionId, id);
  if (!removed) throw takenMeanwhile();
  return { json: { id, removed }, text: `Removed the message at position ${position}.\n` };
}

async function clear({ queue, sessionId }: Work): Promise<Answer> {
  const removed = await queue.clear(sessionId);
  const text =
    removed === 0 ? 'No message waited for this session.' : `Removed ${plural(removed, 'message')}.`;
  return { json: { removed }, text: `${text}\n` };
}

/** Finds a message by its position in the list, or by its id. */
async function findQueued(
  queue: MessageQueueService,
  sessionId: string,
  named: string | undefined,
): Promise<{ id: string; position: number }> {
  if (named === undefined)
    throw usage('Name a message by its position or id: longhaul queue ID lists them.', 'queue');
  const waiting = await queue.list(sessionId);
  const index = /^\d{1,6}$/.test(named) ? Number(named) - 1 : waiting.findIndex(({ id }) => id === named);
  const found = waiting[index];
  if (found !== undefined) return { id: found.id, position: index + 1 };
  const count =
    waiting.length === 0
      ? 'No message waits'
      : `${plural(waiting.length, 'message')} ${waiting.length === 1 ? 'waits' : 'wait'}`;
  throw new LonghaulError(
    'not_found',
    `There is no message "${named}" in the queue. ${count} for this session.`,
  );
}

function takenMeanwhile(): LonghaulError {
  return new LonghaulError('not_found', 'The message has just been delivered and is no longer in the queue.');
}

function fromOf(message: QueuedMessage): string {
  const origin = originOf(message);
  return origin === undefined ? '' : `${originName(origin)}: `;
}

function textOf({ content }: QueuedMessage): string {
  const pieces = content.map((part) =>
    part.type === 'text' ? part.text : `[${part.mediaType ?? part.type}]`,
  );
  return pieces.join(' ').replaceAll(/\s+/g, ' ').trim();
}
