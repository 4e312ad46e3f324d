import type { LifeLine, ReceivedLine } from '../records/lines.ts';
import type { StoredMessage } from '../records/read-database.ts';
import { deltasOf } from './answer-deltas.ts';
import { type Defect, defect } from './defect.ts';
import type { ModelRequest } from './model-journal.ts';

/**
 * A loss within either bound is allowed, because text is flushed after this time or at this size, whichever comes
 * first.
 */
const MOST_LOST_MS = 50;
const MOST_LOST_BYTES = 4_096;

export interface StreamLoss {
  defects: Defect[];
  /**
   * The largest loss of a kill in bytes, and the longest time in milliseconds between the arrival of lost text and the
   * end of its process.
   */
  mostLostBytes: number;
  mostLostMs: number;
}

export interface LifeRecord {
  life: LifeLine;
  received: readonly ReceivedLine[];
}

/**
 * Compares the text that reached the agent's processes with the stored text. A complete answer must be stored
 * completely. Of an answer cut off by a kill, the text of the last 50 ms or the last 4 KiB may be missing, and the
 * stored text must be its beginning.
 */
export function checkStreams(
  lives: readonly LifeRecord[],
  stored: readonly StoredMessage[],
  requests: readonly ModelRequest[],
): StreamLoss {
  const texts = storedTexts(stored);
  const byNumber = new Map(requests.map((request) => [request.number, request]));
  const result: StreamLoss = { defects: [], mostLostBytes: 0, mostLostMs: 0 };
  for (const { life, received } of lives) {
    const { frozenAt } = life;
    // What a stopped process receives later is not stored, because it has lost the session.
    const streams = streamsOf(received.filter(({ at }) => at <= (frozenAt ?? Number.POSITIVE_INFINITY)));
    const endedAt = frozenAt ?? received.findLast((line) => line.type === 'died')?.at ?? life.endedAt;
    const newest = streams.at(-1)?.request;
    // A revert cancels the run from its own process.
    const wasCut =
      life.end === 'killed' || frozenAt !== undefined || life.wasCancelled || life.status === 'cancelled';
    for (const stream of streams) {
      const outcome = byNumber.get(stream.number)?.outcome;
      const isWhole = outcome === 'answered' && !(wasCut && stream.request === newest);
      judge(stream, { stored: texts.get(stream.tag) ?? [], isWhole, endedAt, life: life.life }, result);
    }
  }
  return result;
}

interface Judgement {
  stored: readonly string[];
  isWhole: boolean;
  endedAt: number;
  life: number;
}

function judge(stream: Stream, { stored, isWhole, endedAt, life }: Judgement, result: StreamLoss): void {
  const say = (kind: Defect['kind'], what: string) =>
    result.defects.push(defect(kind, `life ${life}, answer ${stream.tag}: ${what}`));
  if (stored.length > 1) say('duplicate-message', `stored ${stored.length} times`);
  const [text = ''] = stored;
  if (!stream.text.startsWith(text))
    return void say('corruption', 'the stored text is not the beginning of the answer');
  const lost = Buffer.byteLength(stream.text.slice(text.length));
  if (lost === 0) return;
  const ageMs = endedAt - arrivalOf(stream, text.length);
  result.mostLostBytes = Math.max(result.mostLostBytes, lost);
  result.mostLostMs = Math.max(result.mostLostMs, ageMs);
  if (isWhole) say('lost-message', `arrived completely, but ${lost} bytes are not stored`);
  else if (lost > MOST_LOST_BYTES && ageMs > MOST_LOST_MS)
    say('lost-message', `${lost} bytes were lost, the oldest ${ageMs} ms old`);
}

interface Stream {
  /** Number of the request within the life. */
  request: number;
  /** Number of the request on the server. */
  number: number;
  /** `[r12]` starts the text of request 12, `[t12]` its reasoning. */
  tag: string;
  text: string;
  pieces: { at: number; end: number }[];
}

function arrivalOf({ pieces }: Stream, place: number): number {
  return pieces.find(({ end }) => end > place)?.at ?? 0;
}

/** Returns the texts of the answers in order. A summary has no tag and is skipped, because it is not a message. */
function streamsOf(received: readonly ReceivedLine[]): Stream[] {
  const byRequest = Map.groupBy(
    received.filter((line) => line.type === 'bytes'),
    (line) => line.request,
  );
  return [...byRequest].flatMap(([request, lines]) => {
    const reasoning = { text: '', pieces: [] as Stream['pieces'] };
    const answer = { text: '', pieces: [] as Stream['pieces'] };
    for (const { at, kind, text } of deltasOf(lines)) add(kind === 'text' ? answer : reasoning, at, text);
    return [reasoning, answer].flatMap((stream) => {
      const [, tag, number] = /^(\[[rt](\d+)\])/.exec(stream.text) ?? [];
      return tag === undefined ? [] : [{ request, tag, number: Number(number), ...stream }];
    });
  });
}

function add(stream: Pick<Stream, 'text' | 'pieces'>, at: number, text: string): void {
  if (text === '') return;
  stream.text += text;
  stream.pieces.push({ at, end: stream.text.length });
}

function storedTexts(stored: readonly StoredMessage[]): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const { parts } of stored) {
    for (const { part } of parts) {
      if (part.type !== 'text' && part.type !== 'reasoning') continue;
      const tag = /^\[[rt]\d+\]/.exec(part.text)?.[0];
      if (tag !== undefined) texts.set(tag, [...(texts.get(tag) ?? []), part.text]);
    }
  }
  return texts;
}
