import { handleOf } from '@longhaul/protocol';
import { fileChangeLines } from '../../render/file-change-lines.ts';
import { paintedDiff } from '../../render/painted-diff.ts';
import { revertText, SLASH_REVERT } from '../../render/revert-text.ts';
import { revert, unrevert } from './revert-commands.ts';
import { revertOrAsk } from './revert-or-ask.ts';
import { showInPager } from './show-in-pager.ts';
import type { SlashCommand, SlashContext } from './slash-command.ts';

/** Longer diffs open in the pager. */
const MAX_PRINTED_LINES = 60;
const MAX_LISTED = 20;

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
    description: 'show the branches of this conversation, and switch to one',
    run: tree,
  },
];

async function tree(_words: string, context: SlashContext): Promise<void> {
  const { client, conversation, surface, print, paint } = context;
  const { branches, head } = await client.tree(conversation.requireId());
  if (branches.length === 0) return print('The session has no messages.\n');
  if (branches.length === 1) return print('This conversation has one branch: nothing was reverted.\n');
  const target = await surface.pick({
    title: 'Switch to the end of which branch?',
    items: branches.map(({ first, last, parent, liveUntil }) => ({
      value: last,
      label: `${handleOf(first)}–${handleOf(last)}`,
      description: `${parent === 0 ? 'from the beginning' : `after ${handleOf(parent)}`}${liveUntil === undefined ? '' : liveUntil === last ? ', current' : `, current up to ${handleOf(liveUntil)}`}`,
    })),
  });
  if (target === undefined || target === head) return;
  const body = { target: handleOf(target), after: true };
  const done = await revertOrAsk(body, 'Go there anyway?', context);
  if (done === undefined) return;
  print(revertText(done.result, { ...SLASH_REVERT, others: done.others, place: 'after', paint }));
}
