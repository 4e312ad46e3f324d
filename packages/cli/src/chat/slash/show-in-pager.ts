import { pageText } from '../screen/other-programs.ts';
import { suspended } from '../surface/surface.ts';
import type { SlashContext } from './slash-command.ts';

export async function showInPager(
  text: string,
  { surface, terminal }: Pick<SlashContext, 'surface' | 'terminal'>,
): Promise<void> {
  await suspended(surface, () => pageText(text, terminal));
}
