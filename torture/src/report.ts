import type { Defect, DefectKind } from './checks/defect.ts';
import { LIFE_POINTS } from './drive/life-planner.ts';
import type { LifeOutcome } from './drive/run-life.ts';
import type { CommandKind, CommandLine } from './records/lines.ts';
import type { TortureResult } from './run-torture.ts';

export interface TortureSummary {
  kills: number;
  lostMessages: number;
  duplicateMessages: number;
  orphanCalls: number;
  repeatedSideEffects: number;
  corruptions: number;
  /** Number of times that a clock was set. Absent if this machine has no libfaketime. */
  clockSteps?: number;
  /** Number of processes that lost their session while they were stopped. */
  frozen: number;
  /** Number of processes that called the model, by the kind of its provider and the driver. */
  clients: Record<string, number>;
  /** Commands that ran beside the sessions, and how many of them were killed. */
  commands: Partial<Record<CommandKind, { started: number; killed: number }>>;
  completed: boolean;
}

/** The last line of `--json`. */
export function summaryOf(result: TortureResult): TortureSummary {
  const { kills, defects, completed, clockSteps, frozen } = result;
  const count = (kind: DefectKind) => defects.filter((defect) => defect.kind === kind).length;
  return {
    kills,
    lostMessages: count('lost-message'),
    duplicateMessages: count('duplicate-message'),
    orphanCalls: count('orphan-call'),
    repeatedSideEffects: count('repeated-side-effect'),
    corruptions: count('corruption'),
    ...(clockSteps === undefined ? {} : { clockSteps }),
    frozen,
    clients: Object.fromEntries(result.clients),
    commands: Object.fromEntries(result.commands),
    completed,
  };
}

function census(points: ReadonlyMap<string, number>): string {
  return [...points].map(([point, count]) => `${count} ${point}`).join(', ') || 'none';
}

export function isClean({ defects, completed }: { defects: readonly Defect[]; completed: boolean }): boolean {
  return defects.length === 0 && completed;
}

export function lifeLine(session: string, outcome: LifeOutcome, kills: number): string {
  const { life, client, startedAt, endedAt, end, diedAt, frozenAt, plan, report } = outcome;
  const how =
    end === 'ended'
      ? `ended ${report?.status ?? 'without a report'}${report?.error === undefined ? '' : ` (${report.error.slice(0, 100)})`}`
      : `killed ${diedAt === undefined ? '' : `at ${diedAt} `}after ${endedAt - startedAt} ms`;
  return `${String(kills).padStart(4)}  ${session} life ${life}, ${client}: ${how}${frozenAt === undefined ? '' : ` after a stop of ${endedAt - frozenAt} ms`}${diedAt === undefined ? `  [${plan}]` : ''}`;
}

export function commandLine(session: string, line: CommandLine, kills: number): string {
  const { number, startedAt, endedAt, end, diedAt, isDone, plan } = line;
  const how =
    end === 'killed'
      ? `killed ${diedAt === undefined ? '' : `at ${diedAt} `}after`
      : `${isDone ? 'ended' : 'refused'} after`;
  return `${String(kills).padStart(4)}  ${session} command ${number}: ${how} ${endedAt - startedAt} ms  [${plan}]`;
}

export function defectLine({ kind, what }: Defect): string {
  return `DEFECT ${kind}: ${what}`;
}

export function closingLines(
  result: TortureResult,
  { seed, seconds }: { seed: number; seconds: number },
): string[] {
  const { figures, struck, kills, lives, clockSteps, frozen, clients, commands, commandPoints } = result;
  const ofFiles = new Map([...struck].filter(([point]) => point.startsWith('files')));
  const missed = LIFE_POINTS.filter((point) => !struck.has(point));
  const lines = [
    '',
    `${kills} kills in ${lives} processes, ${Math.round(seconds)} s, seed ${seed}.`,
    `${figures.requests} requests (${figures.faults} with a fault), ${figures.messages} messages, ${figures.effects} side effects, ` +
      `${figures.compactions} compactions, ${figures.prunes} pruned outputs, ${figures.branches} branches, ${figures.delivered} messages acknowledged to senders.`,
    `Largest loss of streamed text in a kill: ${figures.mostLostBytes} bytes; oldest lost text: received ${figures.mostLostMs} ms before the kill.`,
    `Fault points struck: ${struck.size} of ${LIFE_POINTS.length}${missed.length === 0 ? '' : `; not struck: ${missed.join(', ')}`}. Of files: ${census(ofFiles)}.`,
    `${clockSteps === undefined ? 'No clock was set, because libfaketime was not found (package faketime)' : `${clockSteps} clock steps`}. ` +
      `${frozen} processes stopped until another had taken their session.`,
    `Processes that called the model: ${[...clients].map(([client, count]) => `${count} ${client}`).join(', ')}.`,
    `Commands beside the sessions: ${[...commands].map(([kind, of]) => `${of.started} ${kind} (${of.killed} killed)`).join(', ')}.`,
    `Points at which commands were killed: ${census(commandPoints)}.`,
  ];
  if (isClean(result)) return [...lines, 'No defects: nothing was lost or done twice.'];
  return [
    ...lines,
    ...result.defects.map(defectLine),
    ...(result.completed ? [] : ['A session did not reach its final answer.']),
    `Records: ${result.folder}. To repeat: npm run torture -- --kills ${kills} --seed ${seed}`,
  ];
}
