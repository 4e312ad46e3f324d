import { LonghaulError } from '@longhaul/protocol';
import { strategyNameSchema } from '@longhaul/protocol/api';
import { positiveNumber } from '../../command-line/parse-flags.ts';
import { compactionText } from '../../render/compaction-text.ts';
import { contextPage } from '../../render/context-page.ts';
import { fitLine, formatTokens, plural } from '../../render/format.ts';
import { matchLines } from '../../render/match-lines.ts';
import { undoText } from '../../render/undo-text.ts';
import { wrapText } from '../../render/word-wrapper.ts';
import type { SlashCommand, SlashContext } from './slash-command.ts';

const FOUND = 30;
/** The built-in instructions and tools leave no room for a conversation in a smaller window. */
const MIN_WINDOW = 3_000;
const STRATEGIES = strategyNameSchema.options;

export const CONTEXT_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'context',
    description: 'what fills the window',
    async run(_words, { client, conversation, columns, colors, print }) {
      const report = await client.context(conversation.requireId());
      print(contextPage(report, { title: conversation.title, columns, colors }));
    },
  },
  {
    name: 'compact',
    hint: '[what to keep]',
    description: 'replace older messages with a summary, after a preview',
    run: compact,
  },
  {
    name: 'undo',
    description: 'undo the newest compaction',
    async run(_words, { client, conversation, print, columns }) {
      print(undoText(await client.undo(conversation.requireId()), columns));
    },
  },
  {
    name: 'pin',
    hint: 'HANDLE',
    description: 'keep a message in the window, such as m12',
    async run(words, { client, conversation, print, columns }) {
      if (words === '') return print('Name a message: /pin m12. /recall finds handles.\n');
      const pinned = await client.pin(conversation.requireId(), { target: words });
      print(
        `${pinned.changed ? 'Pinned' : 'Already pinned'}: ${pinned.handle} ${fitLine(pinned.text, columns - 24)}\n`,
      );
    },
  },
  {
    name: 'unpin',
    hint: 'HANDLE',
    description: 'let compactions hide a message again',
    async run(words, { client, conversation, print, columns }) {
      if (words === '') return print('Name a message: /unpin m12.\n');
      const pinned = await client.unpin(conversation.requireId(), { target: words });
      print(
        `${pinned.changed ? 'Unpinned' : 'It was not pinned'}: ${pinned.handle} ${fitLine(pinned.text, columns - 24)}\n`,
      );
    },
  },
  {
    name: 'recall',
    aliases: ['search'],
    hint: 'WORDS',
    description: 'find words in this session, also in hidden messages',
    async run(words, { client, conversation, print, columns, colors }) {
      if (words === '') return print('Name words to find: /recall timeout.\n');
      const { hits } = await client.search({ q: words, sessionId: conversation.requireId(), limit: FOUND });
      print(
        matchLines(
          hits.map((hit) => ({ ...hit, title: conversation.title })),
          { words, columns, colors },
        ),
      );
    },
  },
  {
    name: 'strategy',
    hint: '[NAME]',
    description: 'choose how sessions are compacted',
    values: async () => STRATEGIES.map((name) => ({ value: name, label: name })),
    async run(words, { client, surface, print }) {
      const { compression } = await client.settings.get();
      const strategy =
        words !== ''
          ? known(words)
          : await surface.pick({
              title: `Compaction strategy, now ${compression.strategy}`,
              items: STRATEGIES.map((name) => ({ value: name, label: name })),
              selected: STRATEGIES.findIndex((name) => name.startsWith(compression.strategy)),
            });
      if (strategy === undefined) return;
      await client.settings.set({ compression: { strategy } });
      print(`Sessions of this database are compacted with ${strategy} from the next step on.\n`);
    },
  },
  {
    name: 'window',
    hint: '[TOKENS]',
    description: 'set the size of the window, in tokens',
    async run(words, { local, options, conversation, print }) {
      if (local === undefined)
        return print('The server sets the window. Change it in the configuration of the server.\n');
      if (words === '') return print('Give the size of the window in tokens: /window 32000.\n');
      const window = positiveNumber(words.replace(/k$/i, '000'), '/window', { whole: true });
      if (window === undefined || window < MIN_WINDOW)
        throw new LonghaulError(
          'usage',
          `/window must be at least ${MIN_WINDOW} tokens, not ${words}. Instructions, tools and the answer need this room.`,
        );
      const model = conversation.model ?? options.model;
      await local.choose({ ...(model !== undefined && { model }), window });
      print(`The window has ${formatTokens(window)} tokens from the next message on.\n`);
    },
  },
];

function known(name: string): (typeof STRATEGIES)[number] {
  const found = STRATEGIES.find((strategy) => strategy === name);
  if (found !== undefined) return found;
  throw new LonghaulError(
    'usage',
    `There is no strategy "${name}". The strategies are ${STRATEGIES.join(', ')}.`,
  );
}

async function compact(words: string, context: SlashContext): Promise<void> {
  const { client, conversation, surface, print, columns, colors } = context;
  const id = conversation.requireId();
  const preview = await client.compact(id, { preview: true });
  if (preview.status !== 'preview') return print(compactionText(preview, { columns, colors, id }));
  const { tokensBefore, tokensAfter, hides } = preview;
  const choice = await surface.pick({
    title: `Compact ${formatTokens(tokensBefore)} → about ${formatTokens(tokensAfter)} tokens? Hides ${plural(hides.count, 'message')}, deletes nothing.`,
    items: [
      { value: 'yes', label: 'Compact now' },
      { value: 'show', label: 'Show what would be hidden, and the summary' },
      { value: 'no', label: 'Do not compact' },
    ] as const,
  });
  if (choice === 'show') return print(compactionText(preview, { columns, colors, id }));
  if (choice !== 'yes') return;
  print(wrapText('Compacting. The model writes the narrative of the summary.', columns));
  surface.setWorking(true);
  const result = await client
    .compact(id, words === '' ? {} : { focus: words })
    .finally(() => surface.setWorking(conversation.isBusy));
  print(
    result.status === 'compacted'
      ? done(result.warnings, context)
      : compactionText(result, { columns, colors, id }),
  );
}

/** The event of the compaction has printed its line. */
function done(warnings: readonly string[], { columns, paint }: SlashContext): string {
  return [
    ...warnings.map((warning) => wrapText(`! ${warning}`, columns)),
    `${paint.dim('/undo undoes it.')}\n`,
  ].join('');
}
