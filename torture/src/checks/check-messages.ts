import { Branches } from '../records/branches.ts';
import type { QueueLine } from '../records/lines.ts';
import type { StoredMessage, StoredSession } from '../records/read-database.ts';
import { answersIn } from './check-branches.ts';
import { type Defect, defect } from './defect.ts';
import type { ModelRequest } from './model-journal.ts';

/**
 * Checks that every acknowledged message is stored exactly once, in the sender's order, and that every stored message
 * reached the model, unless a revert hid it before its branch had an answer. An unacknowledged message may be stored, but
 * at most once.
 */
export function checkMessages(
  sent: readonly QueueLine[],
  { messages: stored, marks }: Pick<StoredSession, 'messages' | 'marks'>,
  requests: readonly ModelRequest[],
): Defect[] {
  const mustBeSeen = answeredMessages(stored, new Branches(marks));
  const acknowledged = new Set(sent.flatMap((line) => (line.type === 'acknowledged' ? [line.id] : [])));
  const users = stored
    .filter(({ role }) => role === 'user')
    .map((message) => ({ ...message, text: textOf(message) }));
  const seen = requests.map(({ body }) =>
    (body?.messages ?? [])
      .flatMap((message) => (message.role === 'user' ? [JSON.stringify(message.content)] : []))
      .join('\n'),
  );
  const defects: Defect[] = [];
  let newest = { sequence: 0, place: 0, token: 'the first' };
  for (const line of sent) {
    if (line.type !== 'sending') continue;
    const { token } = line;
    const places = users.flatMap(({ sequence, text }) =>
      occurrences(text, token).map((place) => ({ sequence, place, token })),
    );
    if (places.length > 1)
      defects.push(defect('duplicate-message', `${token} is in the log ${places.length} times`));
    const [place] = places;
    if (place === undefined) {
      if (acknowledged.has(line.id))
        defects.push(defect('lost-message', `${token} was acknowledged but is not in the log`));
      continue;
    }
    if (
      place.sequence < newest.sequence ||
      (place.sequence === newest.sequence && place.place < newest.place)
    )
      defects.push(defect('lost-message', `${token} precedes ${newest.token}, which was sent earlier`));
    newest = place;
    if (mustBeSeen.has(place.sequence) && !seen.some((text) => text.includes(token)))
      defects.push(defect('lost-message', `${token} is in the log but in no request`));
  }
  return defects;
}

/** Returns the sequences of the conversation, and of all that an answer follows in its branch. */
function answeredMessages(stored: readonly StoredMessage[], branches: Branches): Set<number> {
  const head = branches.parentOf((stored.at(-1)?.sequence ?? 0) + 1);
  const found = new Set<number>();
  for (const end of [head, ...answersIn(stored).values()])
    for (const sequence of branches.pathTo(end)) found.add(sequence);
  return found;
}

function textOf({ parts }: StoredMessage): string {
  return parts.map(({ part }) => (part.type === 'text' ? part.text : '')).join('\n');
}

function occurrences(text: string, token: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) places.push(at);
  return places;
}
