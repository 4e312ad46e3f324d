import { Branches } from '../records/branches.ts';
import type { StoredMessage, StoredSession } from '../records/read-database.ts';
import { type Defect, defect } from './defect.ts';
import type { ModelRequest } from './model-journal.ts';

/**
 * Checks that each request has messages of its own branch alone. Answers contain the number of their request, and
 * messages of senders a token, so both are known wherever they appear, also in a summary. The branch of a request is that
 * of the message that stores its answer.
 */
export function checkBranches(
  requests: readonly ModelRequest[],
  { messages, marks }: Pick<StoredSession, 'messages' | 'marks'>,
): Defect[] {
  const branches = new Branches(marks);
  const answers = answersIn(messages);
  const places = new Map([
    ...[...answers].map(([number, sequence]) => [`r${number}`, sequence] as const),
    ...messages.flatMap(({ role, sequence, parts }) =>
      role === 'user' ? tokensIn(JSON.stringify(parts)).map((token) => [token, sequence] as const) : [],
    ),
  ]);
  return requests.flatMap(({ number, body }) => {
    const place = answers.get(number);
    if (place === undefined || body === undefined) return [];
    const path = branches.pathTo(place);
    const text = JSON.stringify(body.messages);
    const names = new Set([...numbersIn(text).map((answer) => `r${answer}`), ...tokensIn(text)]);
    const foreign = [...names].filter((name) => !path.has(places.get(name) ?? place));
    return foreign.map((name) =>
      defect(
        'corruption',
        `request ${number}, whose answer is m${place}, has ${name} of m${places.get(name)}, which is not in its branch`,
      ),
    );
  });
}

/** Returns the sequences of the messages that store the answers of requests, by the numbers of the requests. */
export function answersIn(messages: readonly StoredMessage[]): Map<number, number> {
  return new Map(
    messages.flatMap(({ role, sequence, parts }) =>
      role === 'assistant'
        ? parts.flatMap(({ part }) => numberOf(part)).map((number) => [number, sequence] as const)
        : [],
    ),
  );
}

function numberOf(part: StoredMessage['parts'][number]['part']): number[] {
  if (part.type === 'tool') return numbersIn(JSON.stringify([part.callId]));
  return part.type === 'text' || part.type === 'reasoning' ? numbersIn(part.text).slice(0, 1) : [];
}

/** Finds tags of texts and of reasoning, and ids of calls. */
function numbersIn(text: string): number[] {
  return [...text.matchAll(/\[[rt](\d+)\]|"c(\d+)-[a-z]"/g)].map(([, tag, call]) => Number(tag ?? call));
}

function tokensIn(text: string): string[] {
  return [...text.matchAll(/TOKEN-\d+(?:-[a-z0-9]+)?/g)].map(([token]) => token);
}
