import { isUtf8 } from 'node:buffer';
import { isBlank } from '@longhaul/protocol';
import { usage } from '../command-line/parse-flags.ts';
import type { Terminal } from '../terminal.ts';

const MAX_INPUT_BYTES = 4 * 1024 * 1024;

/**
 * Returns the task: the words of the command line, or standard input if there are none. The word `-` stands for
 * standard input, so that a task and a text can be given together. Without it, standard input is not read: in scripts
 * it often never ends.
 *
 * @throws {LonghaulError} `usage` if the task is empty or not text.
 */
export async function readTask(words: readonly string[], terminal: Terminal): Promise<string> {
  const wantsInput = words.length === 0 || words.includes('-');
  if (words.length === 0 && terminal.input.isTTY) {
    throw usage('No task was given. Write it as an argument: longhaul run "Fix the failing test".', 'run');
  }
  const task = await readWords(words.length === 0 ? ['-'] : words, { input: terminal.input, command: 'run' });
  if (!isBlank(task)) return task;
  throw usage(
    wantsInput
      ? 'The task on standard input is empty. Write a task, or give it as an argument.'
      : 'The task is empty. Give one, such as: longhaul run "Fix the failing test".',
    'run',
  );
}

/** Returns the words that were typed, without standard input. */
export function typedWords(words: readonly string[]): string {
  return words.filter((word) => word !== '-').join(' ');
}

/** Returns the words, followed by standard input if one of them is `-`. @throws {LonghaulError} `usage` */
export async function readWords(
  words: readonly string[],
  source: { input: AsyncIterable<Uint8Array | string>; command: string },
): Promise<string> {
  const spoken = typedWords(words).trim();
  const input = words.includes('-') ? (await readText(source)).trim() : '';
  return [spoken, input].filter((text) => text !== '').join('\n\n');
}

async function readText({
  input,
  command,
}: {
  input: AsyncIterable<Uint8Array | string>;
  command: string;
}): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_INPUT_BYTES) {
      throw usage(
        'Standard input is larger than 4 MB. Put the text into a file of the workspace and name the file.',
        command,
      );
    }
    chunks.push(bytes);
  }
  return decode(Buffer.concat(chunks), command);
}

function decode(bytes: Buffer, command: string): string {
  const isText = !bytes.includes(0) && isUtf8(bytes);
  if (isText) return new TextDecoder().decode(bytes);
  throw usage(
    'Standard input is not UTF-8 text. Put binary data into a file of the workspace and name the file.',
    command,
  );
}
