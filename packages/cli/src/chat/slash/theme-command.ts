import { type Background, chooseBackground } from '../../render/theme.ts';
import type { SlashCommand, SlashContext } from './slash-command.ts';

const BACKGROUNDS: readonly Background[] = ['dark', 'light'];

/** `/theme`: colours for a dark or a light background, in this chat. */
export const THEME_COMMAND: SlashCommand = {
  name: 'theme',
  hint: '[dark|light]',
  description: 'colours for a dark or a light background',
  values: async () => BACKGROUNDS.map((value) => ({ value, label: value })),
  async run(words, context) {
    const { colors, print, surface } = context;
    if (!colors) return print('This chat prints no colours (NO_COLOR, --no-color, or the terminal).\n');
    const background = words === '' ? await picked(context) : BACKGROUNDS.find((known) => known === words);
    if (background === undefined) {
      if (words !== '') print(`The themes are ${BACKGROUNDS.join(' and ')}.\n`);
      return;
    }
    chooseBackground(background);
    surface.redraw();
    print(
      `New lines have colours for a ${background} background. To keep this for later chats, write into your longhaul.yml: terminal: { theme: ${background} }\n`,
    );
  },
};

async function picked({ surface }: SlashContext): Promise<Background | undefined> {
  return await surface.pick({
    title: 'Colours for which background?',
    items: BACKGROUNDS.map((value) => ({ value, label: value })),
  });
}
