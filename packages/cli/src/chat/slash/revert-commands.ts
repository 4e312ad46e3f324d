import { handleOf, type Message } from '@longhaul/protocol';
import { fitLine, plural } from '../../render/format.ts';
import { paintedDiff } from '../../render/painted-diff.ts';
import { revertText, SLASH_REVERT } from '../../render/revert-text.ts';
import type { PickerItem } from '../panels/picker.ts';
import { textOf } from '../session/message-content.ts';
import { messagePages } from './message-pages.ts';
import { askAboutOthers, revertOrAsk } from './revert-or-ask.ts';
import { showInPager } from './show-in-pager.ts';
import type { SlashContext } from './slash-command.ts';
import { turnDetails } from './turn-details.ts';

const MAX_TURNS = 200;

type RevertPreview = Awaited<ReturnType<SlashContext['client']['revert']>>;

/** `/revert`: restores files and conversation as they were before a message. */
export async function revert(words: string, context: SlashContext): Promise<void> {
  const { client, conversation, surface, print, paint, compose } = context;
  const id = conversation.requireId();
  const target = words === '' ? await pickTurn(context) : words;
  if (target === undefined) return;
  const preview = await client.revert(id, { target, preview: true });
  const choice = await surface.pick({
    title: previewTitle(preview),
    items: [
      { value: 'both', label: 'Files and conversation' },
      { value: 'conversation', label: 'Conversation only', description: 'files stay as they are' },
      { value: 'files', label: 'Files only', description: 'the conversation continues' },
      { value: 'show', label: 'Show first what is restored' },
    ] as const,
  });
  if (choice === undefined) return;
  if (choice === 'show') {
    const shown = await client.revert(id, { target, preview: true, diff: true });
    const text = revertText(shown, { ...SLASH_REVERT, others: 'ask', paint });
    const rest = shown.truncated ? 'The difference is longer than this page can show.\n' : '';
    await showInPager(`${text}\n${paintedDiff(shown.diff ?? '', paint)}${rest}`, context);
    return await revert(target, context);
  }
  const only = choice === 'both' ? {} : { only: choice };
  const done = await revertOrAsk({ target, ...only }, 'Go back anyway?', context);
  if (done === undefined) return;
  print(revertText(done.result, { ...SLASH_REVERT, others: done.others, paint }));
  // The message can be sent again, changed.
  if (done.result.conversation) compose(await textOfMessage(target, context));
}

/** The files that a revert restores are those that differ now, whoever changed them. */
function previewTitle({ handle, withoutFiles, files, more = 0, conflicts, hides }: RevertPreview): string {
  const changed = withoutFiles ? 'no files were recorded' : `restores ${plural(files.length + more, 'file')}`;
  const others = conflicts.length === 0 ? '' : ` (${conflicts.length} changed by others)`;
  return `Back to before ${handle}: ${changed}${others}, hides ${plural(hides, 'message')}`;
}

/** `/unrevert`: takes back the newest revert. */
export async function unrevert(_words: string, context: SlashContext): Promise<void> {
  const { client, conversation, print, paint } = context;
  const id = conversation.requireId();
  let result = await client.unrevert(id);
  let others: 'keep' | 'force' | undefined;
  if (result.status === 'blocked') {
    others = await askAboutOthers(result, {
      title: 'Take the revert back anyway?',
      onForce: 'cannot be taken back',
      context,
    });
    if (others === undefined) return;
    result = await client.unrevert(id, { [others]: true });
  }
  print(revertText(result, { command: 'unrevert', takeBack: '/unrevert', others, paint }));
}

/** The turns of the conversation, the newest first. */
async function pickTurn(context: SlashContext): Promise<string | undefined> {
  const turns = (await ownMessages(context)).map((message): PickerItem<string> => {
    const handle = handleOf(message.sequence);
    return { value: handle, label: `${handle}  ${textOfParts(message)}` };
  });
  if (turns.length === 0) {
    context.print('This conversation has no message to go back to.\n');
    return undefined;
  }
  return await context.surface.pick({
    title: 'Restore the state before which message?',
    items: turns,
    details: (target) => turnDetails(target, context),
    onOpen: async (target) => {
      const { diff } = await context.client.diff(context.conversation.requireId(), { target });
      await showInPager(paintedDiff(diff, context.paint), context);
    },
  });
}

/** Messages of a person in the present conversation, the newest first. */
async function ownMessages({ client, conversation }: SlashContext): Promise<Message[]> {
  const id = conversation.requireId();
  const found: Message[] = [];
  for await (const messages of messagePages(client, id)) {
    const own = messages.filter(
      ({ role, metadata, visibility }) =>
        role === 'user' && metadata?.synthetic === undefined && visibility.isReverted !== true,
    );
    found.push(...own.reverse());
    if (found.length >= MAX_TURNS) break;
  }
  return found.slice(0, MAX_TURNS);
}

async function textOfMessage(target: string, context: SlashContext): Promise<string> {
  const { client, conversation } = context;
  for await (const messages of messagePages(client, conversation.requireId())) {
    const message = messages.find(
      ({ sequence, id, role }) => role === 'user' && (handleOf(sequence) === target || id === target),
    );
    if (message !== undefined) return textOf(message.parts);
  }
  return '';
}

function textOfParts({ parts }: Message): string {
  return fitLine(textOf(parts, ' '), 100);
}
