import { LonghaulError } from '@longhaul/protocol';
import type { Terminal } from '../terminal.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const BACKSPACE = /[\b\u007f]/;
/** Marks around a paste, and keys such as arrows. */
const SEQUENCES = /\u001b(?:\[[\d;?]*[A-Za-z~]|O[A-Za-z]|)/g;

/**
 * Reads a line at the terminal that the terminal does not show.
 *
 * @throws {LonghaulError} `cancelled` at Ctrl-C, and at the end of the input.
 */
export async function readHiddenLine(question: string, { out, input }: Terminal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let line = '';
  const cancelled = () => reject(new LonghaulError('cancelled', 'Nothing was stored.'));
  const onData = (data: Buffer | string) => {
    for (const key of data.toString().replaceAll(SEQUENCES, '')) {
      if (key === '\r' || key === '\n') return resolve(line);
      if (key === CTRL_C || key === CTRL_D) return cancelled();
      if (key === CTRL_U) line = '';
      else line = BACKSPACE.test(key) ? line.slice(0, -1) : line + key;
    }
  };
  out.write(question);
  // No byte may be shown between the question and the mode.
  input.setRawMode(true);
  input.on('data', onData);
  input.on('end', cancelled);
  input.resume();
  try {
    return await promise;
  } finally {
    input.off('data', onData);
    input.off('end', cancelled);
    input.pause();
    input.setRawMode(false);
    out.write('\n');
  }
}
