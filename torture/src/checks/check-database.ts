import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseBlobReference } from '@longhaul/protocol';
import type { StoredSession } from '../records/read-database.ts';
import { type Defect, defect } from './defect.ts';

/** What must hold of the database at any moment, also right after a kill. */
export function checkDatabase({ problems, messages, events }: StoredSession): Defect[] {
  const sequences = messages.map(({ sequence }) => sequence);
  const numbers = events.map(({ number }) => number);
  return [
    ...problems.map((problem) => defect('corruption', problem)),
    ...holesIn(sequences).map((hole) => defect('lost-message', `there is no message m${hole}`)),
    ...holesIn(numbers).map((hole) => defect('corruption', `there is no event ${hole}`)),
    ...messages.flatMap(({ sequence, parts }) =>
      holesIn(parts.map(({ index }) => index + 1)).map((hole) =>
        defect('lost-message', `m${sequence} has no part ${hole - 1}`),
      ),
    ),
  ];
}

/** What was closed stays as it was: `before` and `after` are the same session, read at two times. */
export function checkUnchanged(before: StoredSession, after: StoredSession): Defect[] {
  const now = new Map(after.messages.map((message) => [message.id, message]));
  return before.messages.flatMap(({ id, sequence, parts }) => {
    const message = now.get(id);
    if (message === undefined) return [defect('lost-message', `m${sequence} was stored, and is gone`)];
    return parts.flatMap(({ index, fingerprint, part }) => {
      const later = message.parts[index];
      if (later === undefined)
        return [defect('lost-message', `m${sequence}.${index} was stored, and is gone`)];
      if (fingerprint !== undefined && later.fingerprint !== fingerprint)
        return [defect('corruption', `m${sequence}.${index} was closed, and has changed`)];
      const isShorter = 'text' in part && 'text' in later.part && !later.part.text.startsWith(part.text);
      return isShorter ? [defect('lost-message', `m${sequence}.${index} has lost text that was stored`)] : [];
    });
  });
}

/** When all has ended: no part, message or run is open, every run that began has told its end once, and nothing waits. */
export function checkEnded({ messages, runs, events, waiting }: StoredSession): Defect[] {
  const started = new Set(
    events.flatMap(({ payload }) => (payload.type === 'run:started' ? [payload.runId] : [])),
  );
  const ends = Map.groupBy(
    events.flatMap(({ payload }) => (payload.type === 'run:finished' ? [payload.runId] : [])),
    (runId) => runId,
  );
  return [
    ...waiting.map((id) => defect('lost-message', `${id} still waits`)),
    ...messages.flatMap(({ sequence, status, parts }) => [
      ...(status === 'running' ? [defect('corruption', `m${sequence} is still open`)] : []),
      ...parts
        .filter(({ fingerprint }) => fingerprint === undefined)
        .map(({ index }) => defect('corruption', `m${sequence}.${index} is still open`)),
    ]),
    ...runs.flatMap(({ runId, epoch, hasEnded }) => {
      const told = ends.get(runId)?.length ?? 0;
      // Who only looked, repaired or cancelled held the session too, and began no run.
      const isAsExpected = told === 1 || (told === 0 && !started.has(runId));
      return [
        ...(hasEnded ? [] : [defect('corruption', `run ${epoch} has no end`)]),
        ...(isAsExpected ? [] : [defect('corruption', `run ${epoch} told its end ${told} times`)]),
      ];
    }),
    ...(runs.at(-1)?.status === 'completed' ? [] : [defect('corruption', 'the last run is not completed')]),
  ];
}

/** Every blob that a message names is there, and is what its name says. */
export function checkBlobs({ messages }: StoredSession, folder: string): Defect[] {
  const named = new Set(
    messages.flatMap(({ parts }) =>
      [...JSON.stringify(parts).matchAll(/@blob:[0-9a-f]{64}/g)].map(([name]) => name),
    ),
  );
  return [...named].flatMap((name) => {
    const id = parseBlobReference(name) ?? '';
    try {
      const bytes = readFileSync(join(folder, id.slice(0, 2), id.slice(2)));
      const isWhole = createHash('sha256').update(bytes).digest('hex') === id;
      return isWhole ? [] : [defect('corruption', `${name} is not what its name says`)];
    } catch (error) {
      return [defect('corruption', `${name} cannot be read: ${error}`)];
    }
  });
}

/** Numbers from 1 to the largest that are missing, or stand there twice. */
function holesIn(numbers: readonly number[]): number[] {
  return numbers.flatMap((number, index) => (number === index + 1 ? [] : [index + 1])).slice(0, 1);
}
