import type { Part } from '@longhaul/protocol';
import { IMPORTED_PICTURES, importedTexts } from '../records/import-file.ts';
import type { StoredPart, StoredSession } from '../records/read-database.ts';
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
  const say = (kind: Defect['kind'], what: string) => [defect(kind, `${name}: ${what}`)];
  if (fork.messages.length !== lastSequence)
    return say('lost-message', `it has ${fork.messages.length} of ${lastSequence} messages`);
  return fork.messages.flatMap(({ sequence, role, status, parts }) => {
    const original = source.messages[sequence - 1];
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
  });
}

function isPatch({ part }: StoredPart): boolean {
  return part.type === 'patch';
}

function isCutFrom(part: Part, source: Part | undefined): boolean {
  if (!('state' in part) || part.state !== 'interrupted' || source?.type !== part.type) return false;
  return !('text' in part && 'text' in source) || source.text.startsWith(part.text);
}
