import {
  drivingRun,
  type EnqueueOptions,
  EventHub,
  type ExecutorResult,
  hasMedia,
  MessageQueueService,
  queuedText,
  type Runtime,
} from '@longhaul/core';
import type { Session, UserMessageContentPart } from '@longhaul/protocol';
import { changedConfig } from '../compose/changed-settings.ts';
import type { Settings } from '../compose/load-settings.ts';
import type { Storage } from '../compose/open-storage.ts';
import { sessionAddress } from '../compose/session-address.ts';
import { wrapText } from '../render/word-wrapper.ts';
import { answerText } from '../safe-terminal.ts';
import { columnsOf, type Terminal } from '../terminal.ts';
import { exitCodeOf } from './exit-code.ts';
import { type Display, showRun } from './show-run.ts';

export interface SendOptions {
  session: Session;
  content: readonly UserMessageContentPart[];
  options: { terminal: Terminal; display: Display; signal: AbortSignal };
}

/**
 * Queues the message for the process that drives the session, and reports that. Returns undefined if that process has
 * ended, so that nobody delivers the message.
 */
export async function queueMessage(
  storage: Storage,
  { session, content, options, settings }: SendOptions & { settings: Settings },
): Promise<number | undefined> {
  const { store } = storage;
  const { terminal, display } = options;
  const queue = hasMedia(content)
    ? await checkingQueue(storage, { session, settings, terminal })
    : new MessageQueueService({ ...storage, hub: new EventHub() });
  const { id, position } = await queue.enqueue(session.id, content);
  const holder = await drivingRun(store, session.id);
  const isWaiting = (await queue.list(session.id)).some((message) => message.id === id);
  if (holder === undefined && isWaiting) return undefined;
  const { pid, host } = holder?.owner ?? {};
  if (display === 'events') {
    const message = queuedText(position);
    terminal.out.write(`${JSON.stringify({ ok: true, queued: true, id, position, message, pid, host })}\n`);
  } else if (isWaiting) {
    const line = `Queued at position ${position}. Process ${pid} on ${host} works on this session and receives it before its next step.`;
    terminal.out.write(wrapText(line, columnsOf(terminal.out)));
  } else {
    reportTaken(options);
  }
  return 0;
}

/** The queue that knows which images and files the model of the session takes. */
async function checkingQueue(
  storage: Storage,
  { session, settings, terminal }: { session: Session; settings: Settings; terminal: Terminal },
): Promise<MessageQueueService> {
  const { openContext } = await import('../compose/open-context.ts');
  const config = await changedConfig(settings, storage.store);
  const address = () => sessionAddress(storage.store, session, settings);
  const { queue } = await openContext(config, {
    storage,
    session: { model: session.model, address },
    env: terminal.env,
  });
  return queue;
}

/** Reports that the process that drives the session delivers the message. */
export function reportTaken({ terminal, display }: Omit<SendOptions['options'], 'signal'>): number {
  const text = 'The process that works on this session has taken it.';
  if (display === 'events') terminal.out.write(`${JSON.stringify({ queued: true })}\n`);
  else terminal.out.write(wrapText(text, columnsOf(terminal.out)));
  return 0;
}

/** Sends the message to the process that drives the session, and shows the answer of the run that takes it. */
export async function waitForAnswer(
  runtime: Runtime,
  { session, content, options, message = {} }: SendOptions & { message?: EnqueueOptions },
): Promise<number> {
  const { terminal, display, signal } = options;
  const sessionId = session.id;
  using _shown = display === 'events' ? showRun(runtime, terminal, { sessionId, display }) : undefined;
  const result = await runtime.sendAndWait(session.id, content, { ...message, signal });
  if (display !== 'events') reportAnswer(result, terminal);
  return exitCodeOf(result);
}

/** Prints the answer of a run that was not shown. */
export function reportAnswer({ text, error }: ExecutorResult, terminal: Terminal): void {
  if (text !== '') terminal.out.write(`${answerText(terminal.out, text).trimEnd()}\n`);
  if (error !== undefined) terminal.err.write(`longhaul: ${error.message}\n`);
}

/** Reports the messages that a stopped run has left in the queue. */
export async function reportQueue(
  queue: MessageQueueService,
  { session, terminal, resumeCommand }: { session: Session; terminal: Terminal; resumeCommand: string },
): Promise<void> {
  // A store that cannot be read has ended the run, and its error was shown.
  const waiting = await queue.pendingCount(session.id).catch(() => 0);
  if (waiting === 0) return;
  const [what, them] = waiting === 1 ? ['1 message waits', 'it'] : [`${waiting} messages wait`, 'them'];
  // Never broken into lines: the command is for copying.
  terminal.err.write(`${what} for this session. To deliver ${them}: ${resumeCommand}\n`);
}
