import type { ListedMessage } from '@longhaul/protocol/api';

/** The texts that the person has sent, newest first, each once. */
export function sentTexts(messages: readonly ListedMessage[]): readonly string[] {
  const texts = messages
    .filter(({ role, metadata }) => role === 'user' && metadata?.synthetic === undefined)
    .map(({ parts }) => parts.find((part) => part.type === 'text')?.text ?? '')
    .filter((text) => text !== '');
  return [...new Set(texts.toReversed())];
}

/**
 * Returns the text that Up or Down shows in a composer, which leaves the history when its text was changed.
 *
 * @param shown The text of the composer.
 * @returns Undefined: the key moves the cursor as usual.
 */
export function historyStep(
  direction: 'up' | 'down',
  shown: string,
  texts: readonly string[],
): string | undefined {
  const at = shown === '' ? -1 : texts.indexOf(shown);
  if (shown !== '' && at === -1) return undefined;
  if (direction === 'up') return texts[at + 1];
  return at === -1 ? undefined : (texts[at - 1] ?? '');
}
