import type { Message, PatchPart } from '@longhaul/protocol';
import type { RecordedChange } from '../../ports/file-trees.ts';
import type { SessionWriter } from '../session-writer.ts';

/** An event lists fewer files than its part, because an event is sent to every listener. */
const MAX_FILES_OF_EVENT = 50;

/** Appends a change of files to a message, with its event. */
export function appendPatch(
  writer: SessionWriter,
  message: Message,
  { before, after, files, more, byAgent, atRevert }: RecordedChange & Pick<PatchPart, 'byAgent' | 'atRevert'>,
): Promise<void> {
  const change = {
    ...(before !== undefined && { before }),
    after,
    files,
    ...(more !== undefined && { more }),
    byAgent,
  };
  const part: PatchPart = { type: 'patch', ...change, ...(atRevert && { atRevert }) };
  const shown = files.slice(0, MAX_FILES_OF_EVENT);
  const left = (more ?? 0) + files.length - shown.length;
  return writer.putPart(message, message.parts.length, part, [
    { type: 'files:changed', ...change, files: shown, more: left > 0 ? left : undefined },
  ]);
}
