import { exportSession as exported } from '@longhaul/core';
import { EXPORT_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { readSession } from '../session/with-session.ts';
import type { Terminal } from '../terminal.ts';

/** `longhaul export`: writes a whole session to standard output, as one JSON object. */
export async function exportSession(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'export', EXPORT_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0)
    throw usage('Name one session: longhaul export ID > session.json.', 'export');
  return await readSession(
    id,
    { values, terminal, typed: ['export', ...argv] },
    async ({ store, session }) => {
      terminal.out.write(`${JSON.stringify(await exported(store, session.id), null, 2)}\n`);
      return 0;
    },
  );
}
