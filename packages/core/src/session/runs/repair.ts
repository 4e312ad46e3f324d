import { INTERRUPTED_RESULT } from '@longhaul/context/engine';
import {
  addUsage,
  type EventOf,
  type EventPayload,
  isOpen,
  type Message,
  type Part,
  ZERO_USAGE,
} from '@longhaul/protocol';
import type { RunRecord, Store } from '../../ports/index.ts';
import { isWaitingIn } from '../approvals/waiting-calls.ts';
import { isHoldId } from '../ids.ts';
import { answerText } from '../messages/answer-text.ts';
import type { SessionWriter } from '../session-writer.ts';
import { endLeftProcesses, type ProcessEnder } from './end-left-processes.ts';
import { leftOpen } from './interruption.ts';

/** What an earlier run left open. */
export type Repair = Omit<EventOf<'run:repaired'>, 'type' | 'message' | 'sessionId' | 'at' | 'number'>;

export interface RepairOptions {
  now: number;
  ender: ProcessEnder;
  /** Whether a call of this tool can be run again. See `Tool.isRepeatable`. */
  isRepeatable: (toolName: string) => boolean;
  /** Nobody continues the session, so nothing stays open. Default false. */
  isAbandoned?: boolean;
}

/**
 * Ends the commands that a dead or silent run left running, then closes what it left open: parts, messages, and the run
 * itself, which gets its `run:finished`. The result of a call that had started is "its outcome is unknown", that of
 * another call is "not run". No call is started again. Calls that wait for approval, or that can be repeated, stay open. Emits one
 * `run:repaired`.
 *
 * @returns Undefined if there was nothing to repair.
 * @throws {LonghaulError} `processes_left`: nothing is repaired then.
 */
export async function repairSession(
  writer: SessionWriter,
  store: Store,
  { now, ender, ...options }: RepairOptions,
): Promise<Repair | undefined> {
  const killedCommands = await endLeftProcesses(writer, store, ender);
  const parts = await repairOpenParts(writer, store, { now, ...options });
  const runIds = await closeDeadRuns(writer, store);
  const repair = { ...parts, runIds, ...(killedCommands > 0 && { killedCommands }) };
  if (!hasFindings(repair)) return undefined;
  await writer.announce({ type: 'run:repaired', ...repair, message: describe(repair) });
  return repair;
}

const ABANDONED = '[Cancelled: the run that waited for this task was cancelled.]';

/** Closes an open part as interrupted. Also used for the open parts of a fork's source. */
export function closeOpenPart(part: Part, now: number, reason?: string): Part {
  if (part.type === 'text' || part.type === 'reasoning') return { ...part, state: 'interrupted' };
  if (part.type !== 'tool') return part;
  const text =
    reason ??
    (part.state === 'running' ? INTERRUPTED_RESULT : '[Not run: the run ended before this call started.]');
  return { ...part, state: 'interrupted', error: text, output: [{ type: 'text', text }], endedAt: now };
}

async function repairOpenParts(
  writer: SessionWriter,
  store: Store,
  { now, isRepeatable, isAbandoned = false }: Omit<RepairOptions, 'ender'>,
): Promise<Omit<Repair, 'runIds' | 'killedCommands'>> {
  const found = { unknownCalls: 0, unstartedCalls: 0, partialText: false };
  const approvals = await store.listApprovals(writer.lease.sessionId);
  const mayWait = isWaitingIn(writer.log.messages, approvals, isRepeatable);
  const isWaiting: typeof mayWait = (...place) => !isAbandoned && mayWait(...place);
  for (const message of writer.log.messages) {
    for (const [index, part] of message.parts.entries()) {
      if (!isOpen(part) || isWaiting(message, part)) continue;
      if (part.type === 'tool') found[part.state === 'running' ? 'unknownCalls' : 'unstartedCalls'] += 1;
      if (part.type === 'text') found.partialText = true;
      const isTask = isAbandoned && part.type === 'tool' && isRepeatable(part.name);
      await writer.putPart(message, index, closeOpenPart(part, now, isTask ? ABANDONED : undefined));
    }
    if (message.status === 'running' && !isWaiting(message))
      await writer.closeMessage(message, closingOf(message));
  }
  return found;
}

async function closeDeadRuns(writer: SessionWriter, store: Store): Promise<string[]> {
  const { lease } = writer;
  const open = await store.listRuns(lease.sessionId, { isOpen: true });
  const dead = open.filter((run) => run.runId !== lease.runId);
  if (dead.length === 0) return [];
  // A dead run's steps may be hidden since, and the log of a run does not list hidden messages.
  const { messages } = await store.loadView(lease.sessionId);
  const closed: string[] = [];
  for (const run of dead) {
    const isHold = isHoldId(run.runId);
    await writer.closeDeadRun(run.runId, isHold ? [] : [finishedEvent(run, messages)]);
    if (!isHold) closed.push(run.runId);
  }
  return closed;
}

/** Returns the `run:finished` of a dead run, with its steps, usage and text from the log. */
function finishedEvent({ runId, startedAt }: RunRecord, messages: readonly Message[]): EventPayload {
  const steps = messages.filter(({ role, createdAt }) => role === 'assistant' && createdAt >= startedAt);
  const costs = steps.flatMap(({ cost }) => cost ?? []);
  return {
    type: 'run:finished',
    runId,
    status: 'interrupted',
    stepCount: steps.filter(({ status }) => status === 'done').length,
    usage: steps.reduce((sum, { usage }) => (usage === undefined ? sum : addUsage(sum, usage)), ZERO_USAGE),
    cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost),
    text: answerText(steps.at(-1)),
    error: leftOpen().toShape(),
    compactions: 0,
  };
}

function hasFindings({ runIds, unknownCalls, unstartedCalls, partialText, killedCommands }: Repair): boolean {
  return (
    runIds.length > 0 || unknownCalls > 0 || unstartedCalls > 0 || partialText || killedCommands !== undefined
  );
}

function describe({ unknownCalls, unstartedCalls, partialText, killedCommands = 0 }: Repair): string {
  const found = [
    ...(unknownCalls > 0 ? [`${count(unknownCalls, 'call')} whose outcome is unknown`] : []),
    ...(unstartedCalls > 0 ? [`${count(unstartedCalls, 'call')} not started`] : []),
    ...(partialText ? ['an incomplete answer'] : []),
  ];
  const left = found.length === 0 ? 'nothing open' : found.join(', ');
  const killed = killedCommands > 0 ? ` ${count(killedCommands, 'command')} still running: killed.` : '';
  return `The previous run was interrupted. It left ${left}.${killed}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function closingOf({ finishReason, usage, cost }: Message) {
  return { status: 'interrupted' as const, finishReason, usage, cost };
}
