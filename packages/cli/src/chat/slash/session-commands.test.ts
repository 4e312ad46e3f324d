import { describe, expect, it } from 'vitest';
import { SlashCommands } from './all-commands.ts';
import type { SlashContext } from './slash-command.ts';

const said = (role: string, text: string, isReverted = false) => ({
  role,
  parts: [{ type: 'reasoning', text: 'hmm' }, ...(text === '' ? [] : [{ type: 'text', text }])],
  visibility: { isReverted },
});

/** Types `/copy`. Returns what reached the clipboard and what was printed. */
async function copied(messages: readonly object[], canCopy = true) {
  const clipboard: string[] = [];
  let printed = '';
  const context = {
    client: { messages: async () => ({ messages }) },
    conversation: { requireId: () => 'id' },
    surface: {
      copy: (text: string) => {
        if (canCopy) clipboard.push(text);
        return canCopy;
      },
    },
    print: (more: string) => {
      printed += more;
    },
  };
  await new SlashCommands().run('/copy', context as unknown as SlashContext);
  return { clipboard, printed };
}

describe('/copy', () => {
  it('copies the text of the last answer, not its reasoning', async () => {
    const messages = [said('assistant', 'First.'), said('assistant', 'Ünd\nlast.'), said('user', 'Thanks.')];
    expect(await copied(messages)).toEqual({
      clipboard: ['Ünd\nlast.'],
      printed: 'The last answer was sent to the clipboard of the terminal: 9 characters.\n',
    });
  });

  it('skips messages without text and reverted ones', async () => {
    const messages = [said('assistant', 'Kept.'), said('assistant', ''), said('assistant', 'Gone.', true)];
    expect((await copied(messages)).clipboard).toEqual(['Kept.']);
  });

  it('says that there is nothing to copy', async () => {
    const { clipboard, printed } = await copied([said('user', 'Hello')]);
    expect(clipboard).toEqual([]);
    expect(printed).toContain('no answer to copy');
  });

  it('explains what to do on plain lines', async () => {
    expect((await copied([said('assistant', 'Here.')], false)).printed).toContain('longhaul show');
  });
});
