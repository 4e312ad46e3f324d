import {
  type BlobStore,
  exportSession as exported,
  type FamilyExport,
  treesOfExport,
  withPacks,
} from '@longhaul/core';
import { EXPORT_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { damageLines } from '../render/damage-lines.ts';
import { plural } from '../render/format.ts';
import { readSession } from '../session/with-session.ts';
import type { OutputStream, Terminal } from '../terminal.ts';

/**
 * `longhaul export`: writes a whole session and its children to standard output, as one JSON object. If something of it is damaged,
 * writes the rest, names the damage on standard error and returns 1.
 */
export async function exportSession(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'export', EXPORT_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0)
    throw usage('Name one session: longhaul export ID > session.json.', 'export');
  return await readSession(
    id,
    { values, terminal, typed: ['export', ...argv] },
    async ({ store, blobs, session }) => {
      const whole = await exported(store, session.id);
      const text = JSON.stringify(whole, null, 2);
      const lost = values.files ? await writeFiles(whole, text, { blobs, out: terminal.out }) : 0;
      if (!values.files) terminal.out.write(`${text}\n`);
      if (lost > 0)
        terminal.err.write(
          `The export lacks recorded files that are missing or damaged: ${plural(lost, 'blob or state', 'blobs or states')}. longhaul doctor --deep names the messages.\n`,
        );
      const damaged = [whole, ...(whole.children ?? [])].filter((each) => each.damaged.length > 0);
      for (const each of damaged) terminal.err.write(damageLines(each.session.id, each.damaged));
      return damaged.length + lost === 0 ? 0 : 1;
    },
  );
}

/** Writes an export with its recorded files. Returns how many blobs and states of it are lost. */
async function writeFiles(
  whole: FamilyExport,
  text: string,
  { blobs, out }: { blobs: BlobStore; out: OutputStream },
): Promise<number> {
  const { packsOf } = await import('@longhaul/files');
  const { packs, broken } = await packsOf(blobs, treesOfExport(whole));
  let lost = 0;
  for await (const piece of withPacks(text, packs, { blobs, lost: () => (lost += 1) }))
    if (!out.write(piece)) await writable(out);
  return Math.max(lost, broken.length);
}

/** Resolves when the stream can take more, or never will. */
function writable(stream: OutputStream): Promise<void> {
  const events = ['drain', 'close', 'error'];
  return new Promise((resolve) => {
    const done = () => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}
