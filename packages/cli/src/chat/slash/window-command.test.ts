import { describe, expect, it } from 'vitest';
import { SlashCommands } from './all-commands.ts';
import type { SlashContext } from './slash-command.ts';

/** Types `/window` with these words. Returns the size that was set, if any, and what was printed. */
async function typed(words: string) {
  let set: number | undefined;
  let printed = '';
  const context = {
    local: {
      choose: async ({ window }: { window: number }) => {
        set = window;
      },
    },
    options: {},
    conversation: {},
    print: (more: string) => {
      printed += more;
    },
  };
  await new SlashCommands().run(`/window ${words}`, context as unknown as SlashContext);
  return { set, printed };
}

describe('/window', () => {
  it('sets the size, also in thousands', async () => {
    expect((await typed('32000')).set).toBe(32_000);
    expect((await typed('8k')).set).toBe(8_000);
    expect((await typed('3000')).set).toBe(3_000);
  });

  it.each(['5', '2999', '2k'])('refuses %s: no conversation fits', async (words) => {
    await expect(typed(words)).rejects.toThrow(`/window must be at least 3000 tokens, not ${words}.`);
  });

  it('says what to type', async () => {
    expect(await typed('')).toEqual({
      set: undefined,
      printed: 'Give the size of the window in tokens: /window 32000.\n',
    });
  });
});
