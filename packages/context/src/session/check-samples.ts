import type { MessageReading } from './message-format.ts';

type Reading = MessageReading | undefined;

/** Returns the kinds of messages that no sample shows. */
export function missingSamples(readings: readonly Reading[], tools: boolean): string[] {
  const known = whole(readings.filter((reading) => reading !== undefined));
  const partsOf = (role: 'user' | 'assistant') =>
    known.flatMap((reading) => (reading.role === role ? [reading.parts] : []));
  const hasText = (role: 'user' | 'assistant') =>
    partsOf(role).some((parts) => parts.some(({ type }) => type === 'text'));
  const answers = partsOf('assistant').map((parts) => ({
    calls: parts.filter(({ type }) => type === 'tool').length,
    hasText: parts.some(({ type }) => type === 'text'),
  }));
  const needed: [what: string, isThere: boolean][] = [
    ["a user's message with a text", hasText('user')],
    ['an answer with a text', hasText('assistant')],
    ['an answer with two calls', !tools || answers.some(({ calls }) => calls > 1)],
    [
      'an answer with a call and an empty text',
      !tools || answers.some((answer) => answer.calls > 0 && !answer.hasText),
    ],
    ['the result of a call', !tools || known.some(({ role }) => role === 'tool')],
  ];
  return needed.filter(([, isThere]) => !isThere).map(([what]) => `No sample is ${what}: add one`);
}

/** Joins the readings of answers that are divided into several messages. */
function whole(readings: readonly MessageReading[]): MessageReading[] {
  const joined: MessageReading[] = [];
  for (const reading of readings) {
    const last = joined.at(-1);
    if (reading.role === 'assistant' && reading.isContinued === true && last?.role === 'assistant')
      joined[joined.length - 1] = { ...last, parts: [...last.parts, ...reading.parts] };
    else joined.push(reading);
  }
  return joined;
}

/** Returns the results that answer no earlier call. */
export function strayResults(readings: readonly Reading[]): string[] {
  const called = new Set<string>();
  const problems: string[] = [];
  for (const [index, reading] of readings.entries()) {
    if (reading?.role === 'assistant')
      for (const part of reading.parts) if (part.type === 'tool') called.add(part.callId);
    if (reading?.role !== 'tool') continue;
    for (const { callId } of reading.results)
      if (!called.has(callId))
        problems.push(
          `Sample ${index}: the result has the call id ${JSON.stringify(callId)}, which no earlier call has`,
        );
  }
  return problems;
}
