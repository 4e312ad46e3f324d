import type { Message, PatchPart } from '@longhaul/protocol';
import type { RecordedChange } from '../../ports/file-trees.ts';
import type { SessionWriter } from '../session-writer.ts';

/** An event lists fewer files than its part, because an event is sent to every listener. */
const MAX_FILES_OF_EVENT = 50;

/** A change of files, and whose it is. */
export type RecordedPatch = RecordedChange & Pick<PatchPart, 'byAgent' | 'atRevert'>;

/** Appends a change of files to a message, with its event. */
export function appendPatch(writer: SessionWriter, message: Message, recorded: RecordedPatch): Promise<void> {
  const part = patchPart(recorded);
  const { type: _type, atRevert: _atRevert, ...change } = part;
  const { files, more } = part;
  const shown = files.slice(0, MAX_FILES_OF_EVENT);
  const left = (more ?? 0) + files.length - shown.length;
  return writer.putPart(message, message.parts.length, part, [
    { type: 'files:changed', ...change, files: shown, more: left > 0 ? left : undefined },
  ]);
}

/** Returns the part that stores a change of files. */
export function patchPart({ before, after, files, more, byAgent, atRevert }: RecordedPatch): PatchPart {
  return {
    type: 'patch',
    ...(before !== undefined && { before }),
    after,
    files,
    ...(more !== undefined && { more }),
    byAgent,
    ...(atRevert && { atRevert }),
  };
}
