import { basename } from 'node:path/posix';
import type { Message, ToolPart } from '@longhaul/protocol';
import { fileOfCall } from '@longhaul/replay';
import { callKind } from './call-kind.ts';
import { callsOf, type Stretch } from './stretches.ts';

/**
 * Returns the calls of a stretch that the parent would have to make itself: those about a file that a later call names
 * which may change something, unless the session reads this file again before. A name in a test command counts too, so
 * this is rather too much than too little.
 */
export async function filesReadAgain(
  messages: readonly Message[],
  { first, last }: Stretch,
): Promise<ToolPart[]> {
  const read = messages.slice(first, last + 1).flatMap(({ parts }) => callsOf(parts));
  const files = new Set(read.flatMap((call) => fileNameOf(call) ?? []));
  const needed = new Set<string>();
  for (const call of messages.slice(last + 1).flatMap(({ parts }) => callsOf(parts))) {
    if (files.size === 0) break;
    const kind = await callKind(call);
    if (kind === 'neutral') continue;
    const text = JSON.stringify(call.input);
    for (const file of files) {
      if (kind === 'reads' ? fileNameOf(call) !== file : !text.includes(file)) continue;
      files.delete(file);
      if (kind === 'acts') needed.add(file);
    }
  }
  return read.filter((call) => needed.has(fileNameOf(call) ?? ''));
}

/** The last component of the file that a call is about. A folder or a pattern is not a file. */
function fileNameOf({ input }: ToolPart): string | undefined {
  const name = basename(fileOfCall(input) ?? '');
  return /^[\w.-]+\.\w+$/.test(name) ? name : undefined;
}
