import { LonghaulError } from '@longhaul/protocol';
import { isRecord } from '../is-record.ts';

/** The wire format of an answer. `chat`: Chat Completions. */
export type AnswerFormat = 'anthropic' | 'responses' | 'chat' | 'google';

/** A recorded answer of a provider. */
export interface RecordedAnswer {
  format: AnswerFormat;
  /** The stream of events as it is sent. */
  stream: string;
}

const END = /^data: ?\[DONE\]/m;
const LAST_EVENTS = new Set(['message_stop', 'response.completed', 'response.incomplete', 'response.failed']);

/**
 * Reads the answers in a recording: a stream of events as it was received, or one event as JSON on each line. A stream
 * is kept byte for byte. A recording can contain several answers.
 *
 * @throws {LonghaulError} `invalid_request` if the text is neither.
 */
export function readRecordedAnswers(text: string, name: string): RecordedAnswer[] {
  const isStream = /^(?:data|event|id|retry)?:/m.test(text.slice(0, 10_000));
  const answers = isStream ? streamAnswers(text) : lineAnswers(text, name);
  if (answers.length > 0) return answers;
  const expected = 'a stream of events (lines that begin with "data:"), or one event as JSON on each line';
  throw new LonghaulError('invalid_request', `${name} contains no answer. Expected ${expected}.`);
}

function streamAnswers(text: string): RecordedAnswer[] {
  const answers: RecordedAnswer[] = [];
  let stream = '';
  for (const event of text.split(/(?<=\r?\n\r?\n)/)) {
    stream += event;
    if (!END.test(event) && !LAST_EVENTS.has(String(eventIn(event)?.['type']))) continue;
    answers.push({ format: formatOf(stream), stream });
    stream = '';
  }
  // The marker of the Responses API and blank lines after the last event belong to the answer before.
  if (stream.trim() !== '') answers.push({ format: formatOf(stream), stream });
  return answers.filter((answer) => answer.stream.includes('{') || answers.length === 1);
}

function lineAnswers(text: string, name: string): RecordedAnswer[] {
  const answers: RecordedAnswer[] = [];
  let events: string[] = [];
  let id: unknown;
  const finish = () => {
    if (events.length > 0) answers.push(answerOf(events));
    events = [];
  };
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const event = parse(line);
    if (!isRecord(event) && index === 0)
      throw new LonghaulError('invalid_request', `${name}: line 1 is not a JSON object.`);
    const nextId = isRecord(event) ? (event['responseId'] ?? (event['choices'] && event['id'])) : undefined;
    // Chat Completions and Google have no last event, but each answer has its id.
    if (nextId !== undefined && id !== undefined && nextId !== id) finish();
    id = nextId ?? id;
    events.push(line);
    if (isRecord(event) && LAST_EVENTS.has(String(event['type']))) finish();
  }
  finish();
  return answers;
}

/** Writes events as a provider does: Anthropic and Responses name them, Chat Completions marks its end. */
function answerOf(lines: readonly string[]): RecordedAnswer {
  const format = formatOf(`data: ${lines[0]}\n\n`);
  const events = lines.map((line) => {
    const event = parse(line);
    const named = isRecord(event) && typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
    return `${named}data: ${line}\n\n`;
  });
  if (format === 'chat') events.push('data: [DONE]\n\n');
  return { format, stream: events.join('') };
}

function formatOf(stream: string): AnswerFormat {
  for (const event of stream.split(/\r?\n\r?\n/)) {
    const fields = eventIn(event);
    if (fields === undefined) continue;
    if (String(fields['type']).startsWith('response.')) return 'responses';
    if (typeof fields['type'] === 'string') return 'anthropic';
    return 'candidates' in fields || 'usageMetadata' in fields ? 'google' : 'chat';
  }
  return 'chat';
}

function eventIn(event: string): Record<string, unknown> | undefined {
  const data = /^data: ?(.*)$/m.exec(event)?.[1];
  const value = data === undefined ? undefined : parse(data);
  return isRecord(value) ? value : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
