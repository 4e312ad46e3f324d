import type { LeftOut } from '@longhaul/replay';
import { formatTokens, plural, printable } from '../render/format.ts';
import { createPaint } from '../render/paint.ts';
import type { StoredCheck } from './check-stored.ts';

/** What became of a recorded session that was played through the agent, or why it could not be played. */
export type AgentReplay = PlayedFile | { path: string; problem: string };

export interface PlayedFile {
  path: string;
  sessionId: string;
  recorded: { messages: number; calls: number };
  stored: StoredCheck;
  leftOut: readonly LeftOut[];
  /** Model calls that ended well. */
  steps: number;
  compactions: number;
  prunedOutputs: number;
  inputTokens: number;
  /** Requests that the server refused for their size. */
  refusals: number;
  seconds: number;
  /** Why the agent stopped before the recording's end. */
  error?: string;
}

export interface AgentReplayReport {
  windowTokens: number;
  sessions: readonly AgentReplay[];
  /** Files in folders that cannot be sessions by their names. */
  leftAside: number;
}

/** Every recorded message stored once, every call with its result, and no request refused. */
export function hasPassed(session: AgentReplay): boolean {
  if ('problem' in session || session.error !== undefined) return false;
  const { recorded, stored, refusals } = session;
  return (
    stored.messages === recorded.messages &&
    stored.results === recorded.calls &&
    stored.problems.length === 0 &&
    refusals === 0
  );
}

/** One line for each file, and a last one with the totals. */
export function agentReplayLines({ windowTokens, sessions }: AgentReplayReport): string[] {
  const lines = sessions.map((session) =>
    'problem' in session
      ? JSON.stringify({ type: 'problem', path: session.path, message: session.problem })
      : JSON.stringify({ type: 'session', passed: hasPassed(session), ...session }),
  );
  const played = sessions.filter((session): session is PlayedFile => !('problem' in session));
  const sum = (value: (session: PlayedFile) => number) =>
    played.reduce((total, session) => total + value(session), 0);
  const throughAgent = {
    windowTokens,
    files: sessions.length,
    passed: sessions.filter(hasPassed).length,
    refusals: sum((session) => session.refusals),
    messages: sum((session) => session.stored.messages),
    calls: sum((session) => session.stored.results),
    steps: sum((session) => session.steps),
    compactions: sum((session) => session.compactions),
    seconds: Number(sum((session) => session.seconds).toFixed(2)),
  };
  return [...lines, JSON.stringify({ throughAgent })];
}

const NAME_COLUMNS = 40;
const HEADINGS = ['messages', 'calls', 'steps', 'compact.', 'refused', 'seconds'];

/** A table for people; below each session, what is not as recorded. */
export function agentReplayTable(
  { windowTokens, sessions }: AgentReplayReport,
  { colors }: { colors: boolean },
): string {
  const paint = createPaint(colors);
  const heading = `${' '.repeat(NAME_COLUMNS + 6)}${HEADINGS.map((text) => text.padStart(11)).join('')}`;
  const passed = sessions.filter(hasPassed).length;
  const last = `${passed} of ${plural(sessions.length, 'session')} passed: every message stored once, every call with its result, nothing refused.`;
  const blocks = sessions.map((session) => {
    const word = hasPassed(session) ? paint.good('ok  ') : paint.bad('FAIL');
    const name = printable(session.path.slice(session.path.lastIndexOf('/') + 1));
    const row = 'problem' in session ? ` ${session.problem}` : cellsOf(session).join('');
    const remarks = remarksOf(session).map((remark) => paint.dim(`       ${printable(remark)}`));
    return [`  ${word} ${name.slice(0, NAME_COLUMNS - 1).padEnd(NAME_COLUMNS - 1)}${row}`, ...remarks].join(
      '\n',
    );
  });
  const title = paint.bold(`Through the agent, window ${formatTokens(windowTokens)}`);
  return `${[title, paint.dim(heading), ...blocks, last].join('\n')}\n`;
}

function cellsOf({ recorded, stored, steps, compactions, refusals, seconds }: PlayedFile): string[] {
  return [
    `${stored.messages}/${recorded.messages}`,
    `${stored.results}/${recorded.calls}`,
    String(steps),
    String(compactions),
    String(refusals),
    seconds.toFixed(1),
  ].map((text) => text.padStart(11));
}

function remarksOf(session: AgentReplay): string[] {
  if ('problem' in session) return [];
  const { stored, leftOut, error } = session;
  const counts = [
    { count: stored.cutAnswers, what: 'answers were cut off by the window, and given again whole' },
    { count: stored.shortened, what: 'answers were shortened: no window of this size could hold them' },
    ...leftOut.map(({ what, count }) => ({ what: `left out: ${what}`, count })),
  ].filter(({ count }) => count > 0);
  return [
    ...(error === undefined ? [] : [`stopped: ${error}`]),
    ...stored.problems,
    ...counts.map(({ count, what }) => `${count} ${what}`),
  ];
}
