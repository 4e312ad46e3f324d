import { beforeEach, expect, it } from 'vitest';
import { createPaint } from '../../render/paint.ts';
import { startTheme } from '../../render/theme.ts';
import { SlashCommands } from './all-commands.ts';
import type { SlashContext } from './slash-command.ts';

beforeEach(() => startTheme({}));

async function typed(text: string, { colors = true, picks = undefined as string | undefined } = {}) {
  let printed = '';
  const context = {
    colors,
    surface: { redraw: () => undefined, pick: async () => picks },
    print: (more: string) => {
      printed += more;
    },
  };
  await new SlashCommands().run(text, context as unknown as SlashContext);
  return { printed, warning: createPaint(true).warn('x') };
}

it('changes the colours of what is printed from then on', async () => {
  const dark = createPaint(true).warn('x');
  const { printed, warning } = await typed('/theme light');
  expect(printed).toContain('terminal: { theme: light }');
  expect(warning).not.toBe(dark);
  expect((await typed('/theme', { picks: 'dark' })).warning).toBe(dark);
});

it('changes nothing without a choice, for an unknown theme, and without colours', async () => {
  const { warning } = await typed('/theme');
  expect(await typed('/theme blue')).toEqual({ printed: 'The themes are dark and light.\n', warning });
  expect(await typed('/theme light', { colors: false })).toEqual({
    printed: expect.stringContaining('prints no colours'),
    warning,
  });
});
