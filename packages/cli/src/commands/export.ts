import { exportSession as exported } from '@longhaul/core';
import { EXPORT_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { damageLines } from '../render/damage-lines.ts';
import { readSession } from '../session/with-session.ts';
import type { Terminal } from '../terminal.ts';

/**
 * `longhaul export`: writes a whole session to standard output, as one JSON object. If something of it is damaged, writes
 * the rest, names the damage on standard error and returns 1.
 */
export async function exportSession(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'export', EXPORT_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0)
    throw usage('Name one session: longhaul export ID > session.json.', 'export');
  return await readSession(
    id,
    { values, terminal, typed: ['export', ...argv] },
    async ({ store, session }) => {
      const whole = await exported(store, session.id);
      terminal.out.write(`${JSON.stringify(whole, null, 2)}\n`);
      if (whole.damaged.length === 0) return 0;
      terminal.err.write(damageLines(session.id, whole.damaged));
      return 1;
    },
  );
}
