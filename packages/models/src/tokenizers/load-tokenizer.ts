import type { TokenFamily } from './token-family.ts';
import type { Tokenizer } from './tokenizer.ts';
import type { VocabularyMessage } from './worker-messages.ts';

const loading = new Map<TokenFamily, Promise<Tokenizer>>();

/**
 * Loads a family's tokenizer, once a process. GPT's are read in short steps, the others by a worker thread that hands them over, so that
 * nothing is held up meanwhile; after that `count` runs in the calling thread, at some 10 MB of text a second.
 *
 * For whoever counts now and then, or needs the number at once. Who counts megabytes while something else must stay
 * responsive takes `startTokenizerWorker`. Never rejects: see `Tokenizer.exact`.
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
    // Without a vocabulary at all, `readTokenizer` knows what is left.
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

/** Undefined when no worker could do it. */
async function receiveVocabulary(family: TokenFamily): Promise<VocabularyMessage | undefined> {
  const { startTokenizerThread } = await import('./tokenizer-thread.ts');
  const thread = startTokenizerThread({ task: 'read', family });
  if (thread === undefined) return undefined;
  const { promise, resolve } = Promise.withResolvers<VocabularyMessage | undefined>();
  thread.on('message', (message: VocabularyMessage) => resolve(message));
  thread.on('error', () => resolve(undefined)).on('exit', () => resolve(undefined));
  return promise;
}
