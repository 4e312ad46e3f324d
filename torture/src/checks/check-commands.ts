import type { Part } from '@longhaul/protocol';
import { Branches, expectedRounds } from '../records/branches.ts';
import { IMPORTED_PICTURES, importedTexts } from '../records/import-file.ts';
import { type CommandLine, REVERTS } from '../records/lines.ts';
import type { StoredMark, StoredMessage, StoredPart, StoredSession } from '../records/read-database.ts';
import { type Defect, defect } from './defect.ts';

/** Checks that an import that can be seen is complete and can be resumed. `number`: of its file. */
export function checkImport({ messages, runs }: StoredSession, number: number): Defect[] {
  const texts = messages.flatMap(({ parts }) =>
    parts.flatMap(({ part }) => (part.type === 'text' ? [part.text.trim()] : [])),
  );
  const pictures = messages.flatMap(({ parts }) => parts.filter(({ part }) => part.type === 'file'));
  const expected = importedTexts(number).map((text) => text.trim());
  const wrong = expected.findIndex((text, index) => texts[index] !== text);
  return [
    ...(texts.length === expected.length && wrong === -1
      ? []
      : [
          defect(
            'lost-message',
            `import ${number} can be seen with ${texts.length} of ${expected.length} texts${wrong === -1 ? '' : `, wrong from ${wrong + 1} on`}`,
          ),
        ]),
    ...(pictures.length === IMPORTED_PICTURES
      ? []
      : [
          defect(
            'lost-message',
            `import ${number} can be seen with ${pictures.length} of ${IMPORTED_PICTURES} pictures`,
          ),
        ]),
    ...(runs.every(({ hasEnded }) => hasEnded)
      ? []
      : [defect('corruption', `import ${number} can be seen and looks unfinished`)]),
  ];
}

/**
 * Checks that a fork that can be seen is a complete copy: all messages up to its last one, each closed part as in the
 * source, and no open part.
 */
export function checkFork(
  fork: StoredSession,
  source: StoredSession,
  { name, lastSequence }: { name: string; lastSequence: number },
): Defect[] {
  const say: Say = (kind, what) => [defect(kind, `${name}: ${what}`)];
  if (fork.messages.length !== lastSequence)
    return say('lost-message', `it has ${fork.messages.length} of ${lastSequence} messages`);
  return [
    ...checkForkedMarks(fork, source, { lastSequence, say }),
    ...fork.messages.flatMap((message) =>
      checkForkedMessage(message, source.messages[message.sequence - 1], say),
    ),
  ];
}

type Say = (kind: Defect['kind'], what: string) => Defect[];

/** Checks that a fork has the branches of its source, and no compaction without those before it. */
function checkForkedMarks(
  fork: StoredSession,
  source: StoredSession,
  { lastSequence, say }: { lastSequence: number; say: Say },
): Defect[] {
  const movesOf = ({ marks }: StoredSession) =>
    marks.flatMap((mark) => (mark.kind === 'revert' ? [`m${mark.at} to m${mark.to}`] : []));
  const moves = movesOf(fork);
  const needed = source.marks.filter((mark) => mark.kind === 'revert' && mark.at < lastSequence).length;
  const isPrefix = moves.every((move, index) => move === movesOf(source)[index]);
  const rounds = fork.marks.flatMap((mark) => (mark.kind === 'compaction' ? [mark.round] : []));
  const expected = expectedRounds(fork.marks);
  return [
    ...(isPrefix && moves.length >= needed
      ? []
      : say('corruption', `its reverts (${moves.join(', ')}) are not those of the source`)),
    ...(rounds.every((round, index) => round === expected[index])
      ? []
      : say('corruption', `it has the compactions ${rounds.join(', ')}, expected ${expected.join(', ')}`)),
  ];
}

function checkForkedMessage(
  { sequence, role, status, parts }: StoredMessage,
  original: StoredMessage | undefined,
  say: Say,
): Defect[] {
  if (original?.role !== role) return say('corruption', `m${sequence} is not that of the source`);
  if (status === 'running') return say('corruption', `m${sequence} is open`);
  // Changes of files may be recorded after a message has ended.
  const missing = original.parts.slice(parts.length);
  if (status === 'done' && (parts.length > original.parts.length || !missing.every(isPatch)))
    return say('lost-message', `m${sequence} has ${parts.length} of ${original.parts.length} parts`);
  return parts.flatMap(({ index, part, fingerprint }) => {
    const there = original.parts[index];
    if (fingerprint === undefined) return say('corruption', `m${sequence}.${index} is open`);
    // A part that was open in the source when it was copied is interrupted in the fork.
    const isCopy = isCutFrom(part, there?.part) || JSON.stringify(part) === JSON.stringify(there?.part);
    return isCopy ? [] : say('corruption', `m${sequence}.${index} differs from the source`);
  });
}

/**
 * Checks that each revert that was reported as done is stored, and goes before the message that its arguments name. One
 * that had nothing to do is not stored.
 *
 * @param known How many of the marks were stored before.
 */
export function checkDoneReverts(
  lines: readonly Pick<CommandLine, 'kind' | 'isDone' | 'isUnchanged' | 'message' | 'plan'>[],
  marks: readonly StoredMark[],
  known: number,
): Defect[] {
  const added = marks.slice(known).filter((mark) => mark.kind === 'revert');
  const branches = new Branches(marks);
  return lines.flatMap(({ kind, isDone, isUnchanged = false, message = 0, plan }) => {
    if (!isDone || isUnchanged || !REVERTS.includes(kind)) return [];
    const isStored = added.some(({ to, undoes }) => {
      if (kind === 'unrevert') return undoes !== undefined;
      return undoes === undefined && (kind === 'revert-files' || to === branches.parentOf(message));
    });
    return isStored
      ? []
      : [defect('corruption', `${plan} (m${message}) was reported as done, and is not stored`)];
  });
}

function isPatch({ part }: StoredPart): boolean {
  return part.type === 'patch';
}

function isCutFrom(part: Part, source: Part | undefined): boolean {
  if (!('state' in part) || part.state !== 'interrupted' || source?.type !== part.type) return false;
  return !('text' in part && 'text' in source) || source.text.startsWith(part.text);
}
