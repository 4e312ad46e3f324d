import { parentPort, workerData } from 'node:worker_threads';
import type { LineMatcherData } from './line-matcher.ts';
import { textLines } from './text-lines.ts';

/** The program of a worker thread: answers each text with the indexes of its matching lines. */
function serve(port: NonNullable<typeof parentPort>, { source, flags }: LineMatcherData): void {
  const expression = new RegExp(source, flags);
  port.on('message', (text: string) => {
    port.postMessage(textLines(text).flatMap((line, index) => (expression.test(line) ? [index] : [])));
  });
  port.postMessage('ready');
}

if (parentPort !== null) serve(parentPort, workerData);
