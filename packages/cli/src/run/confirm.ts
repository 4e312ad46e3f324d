import { usage } from '../command-line/parse-flags.ts';
import { readLine } from '../read-line.ts';
import type { Terminal } from '../terminal.ts';

/** Whether a person can be asked: they see the output and can type. */
export function canAsk({ out, input }: Terminal): boolean {
  return out.isTTY === true && input.isTTY === true;
}

/** Asks a yes-or-no question at the terminal. Everything but yes, a closed input included, is no. */
export async function askYesNo(question: string, terminal: Terminal): Promise<boolean> {
  const line = await readLine(`${question} [y/N] `, { terminal });
  return /^y(es)?$/i.test(line?.trim() ?? '');
}

/**
 * Whether a person agrees. `--yes` agrees already, and is needed where nobody can be asked.
 *
 * @throws {LonghaulError} `usage`
 */
export async function agrees(
  question: string,
  { yes = false, terminal, command }: { yes?: boolean; terminal: Terminal; command: string },
): Promise<boolean> {
  if (yes) return true;
  if (!canAsk(terminal)) throw usage(`${question} There is no terminal to ask on: add --yes.`, command);
  return askYesNo(question, terminal);
}
