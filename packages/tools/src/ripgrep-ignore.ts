import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Writes ignore patterns to a private file, as an argument for ripgrep. Disposing of it removes the file.
 *
 * ripgrep opens ignore files by their path, whatever they are: a link to a file outside, a pipe, a device. So it never
 * gets to open one of the workspace.
 */
export function privateIgnoreFile(patterns: readonly string[]): Disposable & { args: string[] } {
  if (patterns.length === 0) return { args: [], [Symbol.dispose]: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-ignore-'));
  const file = join(folder, 'patterns');
  writeFileSync(file, `${patterns.join('\n')}\n`, { mode: 0o600 });
  return {
    args: [`--ignore-file=${file}`],
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
