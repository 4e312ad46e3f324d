/**
 * Puts the compiled command and the libraries of its hot path into a few files: a run loads some 400 modules one by one otherwise, which
 * takes longer than all the rest of a short run, and a tenth more memory.
 *
 * What a run does not load, or only at times, stays outside: Docker's client; the scripted model and the replay, which find files and
 * workers beside their modules. So does the protocol, which those share with the bundle: an error must be of one class everywhere.
 */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const cli = fileURLToPath(new URL('../packages/cli/', import.meta.url));
const STAYS_OUTSIDE = [
  /^@longhaul\/(?:protocol|replay|scripted-model)(?:\/|$)/,
  'dockerode',
  'bun:sqlite',
  'pino',
  'prom-client',
];

const build = await rolldown({
  input: { main: `${cli}dist/main.js` },
  platform: 'node',
  external: STAYS_OUTSIDE,
  // Static and lazy imports of one module are meant: whoever comes first loads it.
  checks: { ineffectiveDynamicImport: false },
});
await rm(`${cli}bundle`, { recursive: true, force: true });
await build.write({ dir: `${cli}bundle`, format: 'esm' });
await build.close();
