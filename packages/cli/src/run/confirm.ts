import { usage } from '../command-line/parse-flags.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Whether a person agrees. `--yes` has agreed already; where nobody can be asked, it is needed.
 *
 * @throws {LonghaulError} `usage`
 */
export async function agrees(
  question: string,
  { yes = false, terminal, command }: { yes?: boolean; terminal: Terminal; command: string },
): Promise<boolean> {
  if (yes) return true;
  if (terminal.out.isTTY !== true || terminal.input.isTTY !== true)
    throw usage(`${question} There is no terminal to ask on: add --yes.`, command);
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: terminal.input, output: terminal.out });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
