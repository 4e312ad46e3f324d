import { resolve } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { IMPORT_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { openStorage } from '../compose/open-storage.ts';
import { type ImportOutcome, importFile, sessionsIn } from '../import/import-file.ts';
import { importLines } from '../render/import-lines.ts';
import { watchInterrupts } from '../run/interrupt.ts';
import { columnsOf, type Terminal, wantsColors } from '../terminal.ts';

/**
 * `longhaul import`: creates sessions from recorded files. A file that cannot be read does not stop the import of the
 * others.
 */
export async function importFiles(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'import', IMPORT_FLAGS);
  if (positionals.length === 0) throw usage('Name the files: longhaul import session.jsonl.', 'import');
  const { config, workspace } = await loadSettings(values, terminal);
  const storage = await openStorage(config.storage);
  await using _store = storage.store;
  using interrupt = watchInterrupts(terminal, () => {
    terminal.err.write('\nStopping; imported sessions are kept.\n');
  });
  const colors = wantsColors(terminal, values['no-color']);
  const columns = columnsOf(terminal.out);
  const { signal } = interrupt;
  let isGood = true;
  const acceptsPartial = values.partial === true;
  for (const name of positionals) {
    const file = resolve(terminal.cwd, name);
    for (const path of await sessionsIn(file)) {
      const outcome = await importOne(path, { storage, workspace, signal, acceptsPartial });
      if (outcome === undefined) return 130;
      isGood &&= outcome.status === 'imported';
      const shown = name + path.slice(file.length);
      terminal.out.write(
        values.json
          ? `${jsonLine(path, outcome)}\n`
          : importLines(shown, outcome, { columns, colors, workspace }),
      );
    }
  }
  return isGood ? 0 : 1;
}

/** Undefined: cancelled. */
async function importOne(
  path: string,
  options: Parameters<typeof importFile>[1],
): Promise<ImportOutcome | undefined> {
  if (options.signal.aborted) return undefined;
  try {
    return await importFile(path, options);
  } catch (error) {
    if (error instanceof LonghaulError && error.code === 'cancelled') return undefined;
    throw error;
  }
}

function jsonLine(path: string, outcome: ImportOutcome): string {
  return JSON.stringify(
    outcome.status === 'imported'
      ? { type: 'imported', path, ...outcome.file }
      : { type: 'problem', path, message: outcome.message },
  );
}
