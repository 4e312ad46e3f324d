import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { findHostProgram } from '@longhaul/core/host-programs';
import { LonghaulError } from '@longhaul/protocol';
import type { Terminal } from '../../terminal.ts';

/** Lets the person edit a text in `$VISUAL` or `$EDITOR`. Returns the text as it was saved. */
export async function editText(text: string, { env }: Pick<Terminal, 'env'>): Promise<string> {
  const command = env['VISUAL'] ?? env['EDITOR'] ?? 'vi';
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-'));
  try {
    const file = join(folder, 'message.md');
    await writeFile(file, text, { mode: 0o600 });
    await runInTerminal([...command.split(/\s+/), file], { env });
    return (await readFile(file, 'utf8')).replace(/\n$/, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Shows a text in `$PAGER`, or in `less`. The text has no control sequences but colours. */
export async function pageText(text: string, { env }: Pick<Terminal, 'env'>): Promise<void> {
  const command = env['PAGER'] ?? 'less';
  const words = command.split(/\s+/);
  const arguments_ = words[0] === 'less' && words.length === 1 ? ['less', '-R'] : words;
  await runInTerminal(arguments_, { env, input: text });
}

async function runInTerminal(
  [name = '', ...args]: readonly string[],
  { env, input }: { env: Terminal['env']; input?: string },
): Promise<void> {
  const program = isAbsolute(name) ? name : findHostProgram(name, env['PATH']);
  if (program === undefined)
    throw new LonghaulError(
      'usage',
      `The program ${name} is not installed. Set EDITOR or PAGER to one that is.`,
    );
  const child = spawn(program, args, {
    stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'],
    env: { ...env },
  });
  // A pager that is left before the end of the text closes the pipe.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}
