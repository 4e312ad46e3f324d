import type { Terminal } from './terminal.ts';

/** Lines that were read together with an answer: Bun reads all that was typed, Node.js one line of a terminal. */
const typedAhead = new WeakMap<NodeJS.ReadableStream, string[]>();

/**
 * Shows a question and returns the line that a person types, which may have been typed before. Returns null at the end
 * of the input, undefined on an abort. Does not change the mode of the terminal: it edits the line, and Ctrl-C reaches
 * the process.
 */
export async function readLine(
  question: string,
  { terminal: { input, out }, signal }: { terminal: Terminal; signal?: AbortSignal | undefined },
): Promise<string | null | undefined> {
  const { createInterface } = await import('node:readline');
  if (signal?.aborted === true) return undefined;
  out.write(question);
  const ahead = typedAhead.get(input)?.shift();
  if (ahead !== undefined) return ahead;
  const lines = createInterface({ input, output: out, terminal: false });
  const read: string[] = [];
  const { promise, resolve } = Promise.withResolvers<string | null | undefined>();
  const onAbort = () => resolve(undefined);
  try {
    signal?.addEventListener('abort', onAbort);
    lines.on('line', (line) => {
      read.push(line);
      resolve(line);
    });
    lines.on('close', () => resolve(null));
    const line = await promise;
    if (typeof line !== 'string') out.write('\n');
    return line;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    lines.close();
    typedAhead.set(input, read.slice(1));
  }
}
