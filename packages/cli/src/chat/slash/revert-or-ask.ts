import type { BodyInputOf } from '@longhaul/protocol/api';
import { blockedText } from '../../render/revert-text.ts';
import { wrapText } from '../../render/word-wrapper.ts';
import type { SlashContext } from './slash-command.ts';

/** Reverts, and asks if somebody else has changed the files. Returns undefined if nothing was done. */
export async function revertOrAsk(body: BodyInputOf<'revert'>, title: string, context: SlashContext) {
  const { client, conversation } = context;
  const id = conversation.requireId();
  const result = await client.revert(id, body);
  if (result.status !== 'blocked') return { result };
  const others = await askAboutOthers(result, { title, onForce: '/unrevert brings them back', context });
  if (others === undefined) return undefined;
  return { result: await client.revert(id, { ...body, [others]: true }), others };
}

/** Asks what happens to files that somebody else changed. Returns undefined if nothing is to be done. */
export async function askAboutOthers(
  result: Parameters<typeof blockedText>[0],
  { title, onForce, context }: { title: string; onForce: string; context: SlashContext },
): Promise<'keep' | 'force' | undefined> {
  context.print(wrapText(blockedText(result), context.surface.columns));
  const answer = await context.surface.pick({
    title,
    items: [
      { value: 'no', label: 'No, change nothing' },
      { value: 'keep', label: 'Leave these files, restore the others' },
      { value: 'force', label: 'Overwrite these files too', description: onForce },
    ] as const,
  });
  return answer === 'no' ? undefined : answer;
}
