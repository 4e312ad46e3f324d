import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EventPayload, parseBlobReference } from '@longhaul/protocol';
import { expectedRounds } from '../records/branches.ts';
import type { StoredRevert, StoredSession } from '../records/read-database.ts';
import { type Defect, defect } from './defect.ts';

/** Checks conditions that are always true for the database, even right after a kill. */
export function checkDatabase(session: StoredSession): Defect[] {
  const { problems, messages, events } = session;
  const sequences = messages.map(({ sequence }) => sequence);
  const numbers = events.map(({ number }) => number);
  return [
    ...problems.map((problem) => defect('corruption', problem)),
    ...holesIn(sequences).map((hole) => defect('lost-message', `message m${hole} is missing`)),
    ...holesIn(numbers).map((hole) => defect('corruption', `event ${hole} is missing`)),
    ...checkMarks(session),
    ...messages.flatMap(({ sequence, parts }) =>
      holesIn(parts.map(({ index }) => index + 1)).map((hole) =>
        defect('lost-message', `m${sequence} is missing part ${hole - 1}`),
      ),
    ),
  ];
}

/** Checks that compactions and reverts are stored with all that belongs to them, and that none is missing on a branch. */
function checkMarks({ messages, marks, compactions, events }: StoredSession): Defect[] {
  const reported = (...types: EventPayload['type'][]) =>
    events.filter(({ payload }) => types.includes(payload.type)).length;
  const ofCompactions = marks.filter((mark) => mark.kind === 'compaction');
  const reverts = marks.filter((mark) => mark.kind === 'revert');
  const expected = expectedRounds(marks);
  const wrong = ofCompactions.findIndex(({ round }, index) => round !== expected[index]);
  const compressed = reported('context:compressed');
  const reverted = reported('session:reverted', 'session:unreverted');
  const isPlaced = ({ at, to }: StoredRevert) => to >= 0 && to <= at && at <= messages.length;
  return [
    ...(wrong === -1
      ? []
      : [
          defect(
            'corruption',
            `compaction ${ofCompactions[wrong]?.round} should be ${expected[wrong]}: one of its branch is missing or out of order`,
          ),
        ]),
    ...(compactions === ofCompactions.length && compactions === compressed
      ? []
      : [
          defect(
            'corruption',
            `there are ${compactions} marks, ${ofCompactions.length} summaries and ${compressed} events of compactions`,
          ),
        ]),
    ...(reverts.length === reverted
      ? []
      : [defect('corruption', `there are ${reverts.length} marks and ${reverted} events of reverts`)]),
    ...reverts
      .filter((revert) => !isPlaced(revert))
      .map(({ at, to }) => defect('corruption', `a revert goes from m${at} to m${to}, which does not exist`)),
  ];
}

/**
 * Checks that nothing stored was lost and no closed part changed. `before` and `after` are the same session, read at
 * two times.
 */
export function checkUnchanged(before: StoredSession, after: StoredSession): Defect[] {
  const now = new Map(after.messages.map((message) => [message.id, message]));
  return before.messages.flatMap(({ id, sequence, parts }) => {
    const message = now.get(id);
    if (message === undefined) return [defect('lost-message', `m${sequence} was stored and is now missing`)];
    return parts.flatMap(({ index, fingerprint, part }) => {
      const later = message.parts[index];
      if (later === undefined)
        return [defect('lost-message', `m${sequence}.${index} was stored and is now missing`)];
      if (fingerprint !== undefined && later.fingerprint !== fingerprint)
        return [defect('corruption', `m${sequence}.${index} was closed and has changed`)];
      const isShorter = 'text' in part && 'text' in later.part && !later.part.text.startsWith(part.text);
      return isShorter ? [defect('lost-message', `m${sequence}.${index} has lost stored text`)] : [];
    });
  });
}

/**
 * Checks a finished session: no open part, message or run, one end event for each started run, no waiting message, last
 * run completed.
 */
export function checkEnded({ messages, runs, events, waiting }: StoredSession): Defect[] {
  const started = new Set(
    events.flatMap(({ payload }) => (payload.type === 'run:started' ? [payload.runId] : [])),
  );
  const ends = Map.groupBy(
    events.flatMap(({ payload }) => (payload.type === 'run:finished' ? [payload.runId] : [])),
    (runId) => runId,
  );
  return [
    ...waiting.map((id) => defect('lost-message', `${id} is still waiting`)),
    ...messages.flatMap(({ sequence, status, parts }) => [
      ...(status === 'running' ? [defect('corruption', `m${sequence} is still open`)] : []),
      ...parts
        .filter(({ fingerprint }) => fingerprint === undefined)
        .map(({ index }) => defect('corruption', `m${sequence}.${index} is still open`)),
    ]),
    ...runs.flatMap(({ runId, epoch, hasEnded }) => {
      const endEvents = ends.get(runId)?.length ?? 0;
      // A process that only repaired or cancelled the session also held its lease, but started no run.
      const isAsExpected = endEvents === 1 || (endEvents === 0 && !started.has(runId));
      return [
        ...(hasEnded ? [] : [defect('corruption', `run ${epoch} has not ended`)]),
        ...(isAsExpected ? [] : [defect('corruption', `run ${epoch} has ${endEvents} end events`)]),
      ];
    }),
    ...(runs.at(-1)?.status === 'completed' ? [] : [defect('corruption', 'the last run is not completed')]),
  ];
}

/** Checks that every blob that a message references exists and matches its id. */
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
      return isWhole ? [] : [defect('corruption', `the content of ${name} does not match its id`)];
    } catch (error) {
      return [defect('corruption', `${name} cannot be read: ${error}`)];
    }
  });
}

/** Returns the first number from 1 that is missing or out of place, if any. */
function holesIn(numbers: readonly number[]): number[] {
  return numbers.flatMap((number, index) => (number === index + 1 ? [] : [index + 1])).slice(0, 1);
}
