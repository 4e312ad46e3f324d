import { buildLedger } from '@longhaul/context/engine';
import type { RecordedCompaction, SessionFormat } from '../importers/report.ts';
import { fileInWorkspace } from './facts.ts';
import { eventTokens, segmentOf } from './recorded-session.ts';
import type { PreparedSession } from './replay-session.ts';

/** A compaction that the recorded agent made, and what was needed after it. */
export interface RecordedPoint {
  /** Index of the first step after it. */
  readonly step: number;
  /** Tokens of the messages before it, and of the text that replaced them. */
  readonly tokensBefore: number;
  readonly tokens: number;
  /** Facts that later steps needed, and that no event after the compaction had shown before. */
  readonly needed: number;
  /** The facts among them that are in the recorded text, and in our ledger of the same number of tokens. */
  readonly recordedSeen: number;
  readonly ownSeen: number;
}

export interface AgainstRecorded {
  readonly points: readonly RecordedPoint[];
  /** Compactions whose text is not in the file, or after which nothing earlier was needed. */
  readonly unmeasured: number;
}

/** Tokens of the newest events that an agent keeps unchanged beside its summary. They count neither for it nor for us. */
const KEPT_TOKENS: Partial<Record<SessionFormat, number>> = { pi: 20_000 };

const count = (text: string) => Math.floor(text.length / 4);

/** What a file says about the agent that recorded it. */
export interface RecordedBy {
  compactions?: readonly RecordedCompaction[];
  format?: SessionFormat | undefined;
  workspace?: string | undefined;
}

/**
 * Measures what each recorded summary kept of what was needed after it, up to the next recorded compaction, beside the
 * ledger that the engine writes at the same place with the same number of tokens and no model.
 */
export function againstRecorded(
  prepared: PreparedSession,
  { compactions = [], format, workspace }: RecordedBy,
): AgainstRecorded {
  const { messages } = prepared.session;
  const places = compactions.map(({ afterSequence }) =>
    messages.findIndex(({ sequence }) => sequence > afterSequence),
  );
  const measured = compactions.flatMap((compaction, index) => {
    const from = places[index] ?? -1;
    const text = compaction.view ?? compaction.summary;
    if (from <= 0 || text === '') return [];
    const until = places.slice(index + 1).find((place) => place > from) ?? messages.length;
    const keptTokens = format === undefined ? 0 : (KEPT_TOKENS[format] ?? 0);
    const point = pointOf(prepared, { from, until, text, keptTokens, workspace });
    return point.needed === 0 ? [] : [point];
  });
  return { points: measured, unmeasured: compactions.length - measured.length };
}

interface Place {
  /** Indexes of the first message after the compaction, and of the first one after the next compaction. */
  from: number;
  until: number;
  text: string;
  keptTokens: number;
  workspace: string | undefined;
}

function pointOf(prepared: PreparedSession, place: Place): RecordedPoint {
  const { session, finder, facts } = prepared;
  const { from, text, workspace } = place;
  const needed = neededAfter(prepared, place);
  const tokens = eventTokens(text);
  const ledger = buildLedger(session.messages.slice(0, from), { maxTokens: tokens, count });
  const seenIn = (shown: string) => {
    const found = new Set(finder.shownIn(segmentOf('user', shown)).facts);
    // A path below the workspace is also shown if its end is.
    const isNamed = (fact: number) => {
      const name = facts.facts[fact]?.text ?? '';
      const end = fileInWorkspace(name, workspace);
      return end !== name && shown.includes(end);
    };
    return [...needed].filter((fact) => found.has(fact) || isNamed(fact)).length;
  };
  const before = session.events.filter(({ messageIndex }) => messageIndex < from);
  return {
    step: session.steps.findIndex(({ messageIndex }) => messageIndex >= from),
    tokensBefore: before.reduce((sum, event) => sum + event.tokens, 0),
    tokens,
    needed: needed.size,
    recordedSeen: seenIn(text),
    ownSeen: seenIn(ledger),
  };
}

/** Returns the facts that a step needs before an event since the compaction, or one that the agent kept, has shown them. */
function neededAfter({ session, facts }: PreparedSession, { from, until, keptTokens }: Place): Set<number> {
  const shown = new Set<number>();
  const needed = new Set<number>();
  const see = (text: string) => {
    for (const fact of facts.sightings.mentionedIn(text)) shown.add(fact);
  };
  const start = session.events.findIndex(({ messageIndex }) => messageIndex >= from);
  if (start === -1) return needed;
  let next = start;
  for (let left = keptTokens; next > 0; next -= 1) {
    left -= session.events[next - 1]?.tokens ?? 0;
    if (left < 0) break;
  }
  for (const [index, step] of session.steps.entries()) {
    if (step.firstEvent < start || step.messageIndex >= until) continue;
    for (const event of session.events.slice(next, step.firstEvent)) see(event.text);
    next = step.firstEvent;
    for (const { fact } of facts.needs[index] ?? []) if (!shown.has(fact)) needed.add(fact);
  }
  return needed;
}

/** Sums over compactions. */
export interface RecordedTotals {
  readonly compactions: number;
  readonly unmeasured: number;
  readonly tokens: number;
  readonly needed: number;
  readonly recordedSeen: number;
  readonly ownSeen: number;
}

export function recordedTotals(reports: readonly (AgainstRecorded | undefined)[]): RecordedTotals {
  const known = reports.filter((report) => report !== undefined);
  const points = known.flatMap((report) => report.points);
  const sum = (value: (point: RecordedPoint) => number) =>
    points.reduce((total, point) => total + value(point), 0);
  return {
    compactions: points.length,
    unmeasured: known.reduce((total, report) => total + report.unmeasured, 0),
    tokens: sum((point) => point.tokens),
    needed: sum((point) => point.needed),
    recordedSeen: sum((point) => point.recordedSeen),
    ownSeen: sum((point) => point.ownSeen),
  };
}

/** Returns the totals of each format with a measured compaction, and those of all if there are several. */
export function againstRows(
  files: readonly { readonly format?: SessionFormat | undefined; readonly against?: AgainstRecorded }[],
): (RecordedTotals & { format: string })[] {
  const formats = [...new Set(files.flatMap(({ format }) => format ?? []))].sort();
  const rows = formats.map((format) => ({
    format,
    ...recordedTotals(files.filter((file) => file.format === format).map(({ against }) => against)),
  }));
  const measured = rows.filter(({ compactions }) => compactions > 0);
  if (measured.length < 2) return measured;
  return [...measured, { format: 'all', ...recordedTotals(files.map(({ against }) => against)) }];
}
