import { deferred } from './deferred.ts';
import type { TokenFamily } from './token-family.ts';
import type { Tokenizer } from './tokenizer.ts';
import type { VocabularyMessage } from './worker-messages.ts';

const loading = new Map<TokenFamily, Promise<Tokenizer>>();

/**
 * Loads a family's tokenizer, once for each process. GPT's vocabularies are read in short steps. A worker thread reads
 * the others and transfers them. So loading blocks nothing. After that, `count` runs in the calling thread, at about 10
 * MB of text per second.
 *
 * Use it if you count now and then, or need the number at once. If you count megabytes while other work must stay
 * responsive, use `startTokenizerWorker`. Never rejects; see `Tokenizer.exact`.
 *
 * @example
 * const { count } = await loadTokenizer(tokenFamilyOf('meta-llama/Llama-3.1-8B-Instruct'));
 * count('Hello, world'); // 3
 */
export function loadTokenizer(family: TokenFamily): Promise<Tokenizer> {
  let tokenizer = loading.get(family);
  if (tokenizer === undefined) {
    tokenizer = load(family);
    loading.set(family, tokenizer);
  }
  return tokenizer;
}

async function load(family: TokenFamily): Promise<Tokenizer> {
  const { canReadInSteps, readInSteps } = await import('./vocabulary-files.ts');
  const { readTokenizer, standingIn, tokenizerFrom } = await import('./tokenizer.ts');
  if (canReadInSteps(family)) {
    // Without any vocabulary, `readTokenizer` chooses the fallback.
    return readInSteps(family).then(
      (vocabulary) => tokenizerFrom(family, vocabulary),
      () => readTokenizer(family),
    );
  }
  const received = await receiveVocabulary(family);
  if (received === undefined) return readTokenizer(family);
  if (received.data === undefined) return standingIn(family, await loadTokenizer('o200k'));
  const { Vocabulary } = await import('./vocabulary.ts');
  return tokenizerFrom(family, new Vocabulary(received.data));
}

/** Undefined if the worker cannot be started or fails. */
async function receiveVocabulary(family: TokenFamily): Promise<VocabularyMessage | undefined> {
  const { startTokenizerThread } = await import('./tokenizer-thread.ts');
  const thread = startTokenizerThread({ task: 'read', family });
  if (thread === undefined) return undefined;
  const { promise, resolve } = deferred<VocabularyMessage | undefined>();
  thread.on('message', (message: VocabularyMessage) => resolve(message));
  thread.on('error', () => resolve(undefined)).on('exit', () => resolve(undefined));
  return promise;
}
