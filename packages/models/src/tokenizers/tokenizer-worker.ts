import { parentPort, workerData } from 'node:worker_threads';
import { readTokenizer } from './tokenizer.ts';
import { readVocabulary } from './vocabulary-files.ts';
import type {
  CountAnswer,
  CountRequest,
  ReadyMessage,
  TokenizerWorkerData,
  VocabularyMessage,
} from './worker-messages.ts';

type Port = NonNullable<typeof parentPort>;

/** Reads the vocabulary and transfers its arrays without a copy. */
function handOver(port: Port, { family }: TokenizerWorkerData): void {
  try {
    const { data } = readVocabulary(family);
    const buffers = Object.values(data).map(({ buffer }: { buffer: ArrayBuffer }) => buffer);
    port.postMessage({ data } satisfies VocabularyMessage, buffers);
  } catch {
    // The caller then counts by another family, and reports that.
    port.postMessage({ data: undefined } satisfies VocabularyMessage);
  }
}

function serve(port: Port, { family }: TokenizerWorkerData): void {
  const { exact, missingPackage, count } = readTokenizer(family);
  port.postMessage({ type: 'ready', exact, missingPackage } satisfies ReadyMessage);
  port.on('message', ({ id, text }: CountRequest) => {
    port.postMessage({ type: 'count', id, tokens: count(text) } satisfies CountAnswer);
  });
}

if (parentPort !== null) {
  const task: TokenizerWorkerData = workerData;
  if (task.task === 'read') handOver(parentPort, task);
  else serve(parentPort, task);
}
