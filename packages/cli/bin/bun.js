// Checks for Bun, before the program is loaded.
import { existsSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';

/** The version that the tests run. */
const TESTED_BUN = '1.4.5';

/**
 * Returns why Longhaul cannot run under this Bun, or undefined.
 *
 * Bun reads `.env` and `bunfig.toml` of the current folder. A project could set Longhaul's variables with them, or run
 * code before the user has trusted it.
 */
export function problemOfBun() {
  if (!isBuiltin('node:sqlite')) {
    return `Longhaul needs a Bun with node:sqlite, such as ${TESTED_BUN}; this is ${process.versions.bun}. Run: bun upgrade`;
  }
  const read = [
    ...(hasFlag('--no-env-file') ? [] : readdirSync('.').filter((name) => /^\.env(?:\.|$)/.test(name))),
    ...(hasFlag('--config') || !existsSync('bunfig.toml') ? [] : ['bunfig.toml']),
  ];
  if (read.length === 0) return undefined;
  return `Bun has read ${read.join(', ')} of this folder, which can run code of a project before you trust it. Start Longhaul with: bun --no-env-file --config=/dev/null ${process.argv[1]}`;
}

function hasFlag(name) {
  return process.execArgv.some((flag) => flag === name || flag.startsWith(`${name}=`));
}
