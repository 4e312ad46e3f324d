import { handleOf, type Message } from '@longhaul/protocol';
import { fileChangeLines } from '../../render/file-change-lines.ts';
import { fitLine, plural } from '../../render/format.ts';
import { paintedDiff } from '../../render/painted-diff.ts';
import { blockedText, revertText } from '../../render/revert-text.ts';
import { wrapText } from '../../render/word-wrapper.ts';
import type { PickerItem } from '../panels/picker.ts';
import { pageText } from '../screen/other-programs.ts';
import { textOf } from '../session/message-content.ts';
import { suspended } from '../surface/surface.ts';
import { messagePages } from './message-pages.ts';
import type { SlashCommand, SlashContext } from './slash-command.ts';
import { turnDetails } from './turn-details.ts';

/** Longer diffs open in the pager. */
const MAX_PRINTED_LINES = 60;
const MAX_TURNS = 200;
const MAX_LISTED = 20;
const SLASH_REVERT = { command: 'revert', takeBack: '/unrevert' } as const;

export const FILE_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'diff',
    hint: '[HANDLE]',
    description: 'what this session, a turn or a step changed in the files',
    async run(words, context) {
      const { client, conversation, print, paint } = context;
      const result = await client.diff(conversation.requireId(), words === '' ? {} : { target: words });
      if (result.files.length === 0) return print('No file changed.\n');
      const text = paintedDiff(result.diff, paint);
      const stat = fileChangeLines(result, { paint, limit: MAX_LISTED });
      if (text.split('\n').length <= MAX_PRINTED_LINES) return print(`${text.trimEnd()}\n${stat}`);
      await showInPager(text, context);
      print(stat);
    },
  },
  {
    name: 'revert',
    aliases: ['rewind'],
    hint: '[HANDLE]',
    description: 'restore files and conversation as they were before a message',
    run: revert,
  },
  {
    name: 'unrevert',
    description: 'take back the newest revert',
    run: unrevert,
  },
  {
    name: 'tree',
    description: 'the branches of this conversation; go to one',
    run: tree,
  },
];

async function revert(words: string, context: SlashContext): Promise<void> {
  const { client, conversation, surface, print, paint, compose } = context;
  const id = conversation.requireId();
  const target = words === '' ? await pickTurn(context) : words;
  if (target === undefined) return;
  const preview = await client.revert(id, { target, preview: true });
  const changed = preview.withoutFiles
    ? 'no files were recorded'
    : plural(preview.files.length + (preview.more ?? 0), 'file');
  const choice = await surface.pick({
    title: `Back to before ${preview.handle}: ${changed}, ${plural(preview.hides, 'message')} hidden${preview.conflicts.length === 0 ? '' : `, ${plural(preview.conflicts.length, 'file')} changed by others`}`,
    items: [
      { value: 'both', label: 'Files and conversation' },
      { value: 'conversation', label: 'Conversation only', description: 'files stay as they are' },
      { value: 'files', label: 'Files only', description: 'the conversation continues' },
      { value: 'show', label: 'Show the changes first' },
    ] as const,
  });
  if (choice === undefined) return;
  if (choice === 'show') {
    const { diff } = await client.diff(id, { target });
    await showInPager(paintedDiff(diff, paint), context);
    return await revert(target, context);
  }
  const only = choice === 'both' ? {} : { only: choice };
  let result = await client.revert(id, { target, ...only });
  let others: 'keep' | 'force' | undefined;
  if (result.status === 'blocked') {
    others = await askAboutOthers(result, {
      title: 'Go back anyway?',
      onForce: '/unrevert brings them back',
      context,
    });
    if (others === undefined) return;
    result = await client.revert(id, { target, ...only, [others]: true });
  }
  print(revertText(result, { ...SLASH_REVERT, others, paint }));
  // The message can be sent again, changed.
  if (result.conversation) compose(await textOfMessage(target, context));
}

async function unrevert(_words: string, context: SlashContext): Promise<void> {
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

/** Asks what happens to files that somebody else changed. Returns undefined if nothing is to be done. */
async function askAboutOthers(
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
    title: 'Go back to before which message?',
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

async function tree(_words: string, context: SlashContext): Promise<void> {
  const { client, conversation, surface, print, paint } = context;
  const { branches, head } = await client.tree(conversation.requireId());
  if (branches.length === 0) return print('The session has no messages.\n');
  if (branches.length === 1) return print('This conversation has one branch: nothing was reverted.\n');
  const target = await surface.pick({
    title: 'Branches of this conversation: go to the end of which one?',
    items: branches.map(({ first, last, parent, liveUntil }) => ({
      value: last,
      label: `${handleOf(first)}–${handleOf(last)}`,
      description: `${parent === 0 ? 'from the beginning' : `after ${handleOf(parent)}`}${liveUntil === undefined ? '' : liveUntil === last ? ', current' : `, current up to ${handleOf(liveUntil)}`}`,
    })),
  });
  if (target === undefined || target === head) return;
  const result = await client.revert(conversation.requireId(), { target: handleOf(target), after: true });
  print(revertText(result, { ...SLASH_REVERT, place: 'after', paint }));
}

async function showInPager(text: string, { surface, terminal }: SlashContext): Promise<void> {
  await suspended(surface, () => pageText(text, terminal));
}
