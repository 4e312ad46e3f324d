import type { Plugin } from 'rolldown';

const EAGER = 'const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;';
const LAZY = `let rgiEmoji;
const rgiEmojiRegex = { test: (text) => (rgiEmoji ??= new RegExp("^\\\\p{RGI_Emoji}$", "v")).test(text) };`;

/**
 * Lets pi-tui build its expression for emoji when a text needs it: building it takes half as long as the start of
 * Node.js.
 *
 * @throws if this version of pi-tui has another one.
 */
export function lazyEmoji(): Plugin {
  return {
    name: 'lazy-emoji',
    transform(code, id) {
      if (!id.endsWith('/pi-tui/dist/utils.js')) return null;
      if (!code.includes(EAGER))
        throw new Error('pi-tui has another expression for emoji. Correct it in lazy-emoji.ts.');
      return code.replace(EAGER, () => LAZY);
    },
  };
}
