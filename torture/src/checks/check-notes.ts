import { JUDGED, KEPT } from '../agent/hooks.ts';
import type { StoredSession } from '../records/read-database.ts';
import { type Defect, defect } from './defect.ts';

/** Checks that each text of a hook is stored once for what it is about: messages that were taken, or a compaction. */
export function checkNotes({ messages, events }: Pick<StoredSession, 'messages' | 'events'>): Defect[] {
  const payloads = events.map(({ payload }) => payload);
  const taken = payloads.filter(({ type }) => type === 'message:dequeued').length;
  const compactions = payloads.filter(
    (payload) => payload.type === 'context:compressed' && payload.reason !== 'manual',
  ).length;
  const notes = messages.flatMap(({ parts }) =>
    parts.flatMap(({ part }) => (part.type === 'text' ? [part.text] : [])),
  );
  return [
    { text: JUDGED, expected: taken },
    { text: KEPT, expected: compactions },
  ].flatMap(({ text, expected }) => {
    const found = notes.filter((note) => note.includes(text)).length;
    if (found === expected) return [];
    const kind = found < expected ? 'lost-message' : 'duplicate-message';
    return [defect(kind, `${text} of a hook is in the log ${found} times, expected ${expected}`)];
  });
}
