import { resolve } from 'node:path';
import { fitLine, plural, shortId } from '../../render/format.ts';
import { age } from '../../render/session-table.ts';
import { UsageTotal } from '../../render/usage-total.ts';
import { textOf } from '../session/message-content.ts';
import { messagePages } from './message-pages.ts';
import type { SlashCommand, SlashContext } from './slash-command.ts';
import { writeNewFile } from './write-new-file.ts';

const MAX_SESSIONS = 200;
/** Number of messages in which the last answer is looked for. */
const MAX_MESSAGES = 200;

export const SESSION_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'sessions',
    aliases: ['resume'],
    description: 'open another session of this folder',
    async run(_words, context) {
      const id = await pickSession(context);
      if (id !== undefined) await context.openSession(id);
    },
  },
  {
    name: 'new',
    aliases: ['clear'],
    description: 'begin a new conversation; this one is kept',
    run: async (_words, { openSession }) => await openSession(undefined),
  },
  {
    name: 'fork',
    hint: '[HANDLE]',
    description: 'continue in a copy of this session, or of its messages up to HANDLE',
    async run(words, { client, conversation, openSession, print }) {
      const fork = await client.sessions.fork(conversation.requireId(), words === '' ? {} : { at: words });
      print(`This is a copy now. The first session is kept: ${shortId(conversation.requireId())}.\n`);
      await openSession(fork.id);
    },
  },
  {
    name: 'title',
    hint: 'WORDS',
    description: 'give this session a title',
    async run(words, { client, conversation, print }) {
      const id = conversation.requireId();
      if (words === '')
        return print(`The title is "${fitLine(conversation.title, 100)}". To change it: /title WORDS.\n`);
      const { title } = await client.sessions.update(id, { title: words });
      conversation.title = title;
      print(`The title is "${fitLine(title, 100)}".\n`);
    },
  },
  {
    name: 'export',
    hint: '[FILE]',
    description: 'write this session to a file',
    async run(words, { client, conversation, terminal, print }) {
      const id = conversation.requireId();
      const path = resolve(terminal.cwd, words === '' ? `${shortId(id)}.json` : words);
      await writeNewFile(path, await client.sessions.export(id));
      print(`Written to ${path}. longhaul import reads it.\n`);
    },
  },
  {
    name: 'copy',
    description: 'copy the last answer to the clipboard of the terminal',
    run: copyAnswer,
  },
  {
    name: 'cost',
    aliases: ['usage'],
    description: 'tokens and cost of this session',
    run: cost,
  },
];

async function copyAnswer(
  _words: string,
  { client, conversation, surface, print }: SlashContext,
): Promise<void> {
  const { messages } = await client.messages(conversation.requireId(), { limit: MAX_MESSAGES });
  const answer = messages
    .filter(({ role, visibility }) => role === 'assistant' && visibility.isReverted !== true)
    .map(({ parts }) => textOf(parts, '\n\n'))
    .findLast((text) => text.trim() !== '');
  if (answer === undefined) return print('There is no answer to copy yet.\n');
  const isAsked = surface.copy(answer);
  print(
    isAsked
      ? `The last answer was sent to the clipboard of the terminal: ${plural(answer.length, 'character')}.\n`
      : 'Plain lines cannot reach the clipboard of the terminal: longhaul show prints the session.\n',
  );
}

async function pickSession({
  client,
  conversation,
  surface,
  local,
  print,
}: SlashContext): Promise<string | undefined> {
  const { sessions } = await client.sessions.list({ limit: MAX_SESSIONS });
  const folder = conversation.workspace === '' ? local?.workspace : conversation.workspace;
  const shown = sessions.filter(({ workspace }) => folder === undefined || workspace === folder);
  if (shown.length === 0) {
    print('There are no other sessions in this folder.\n');
    return undefined;
  }
  return await surface.pick({
    title: 'Sessions of this folder',
    findsInDescriptions: true,
    items: shown.map(({ id, title, state, createdAt, updatedAt = createdAt }) => ({
      value: id,
      label: fitLine(title, 60),
      description: `${shortId(id)} · ${state} · ${age(Date.now() - updatedAt)}`,
    })),
  });
}

async function cost(_words: string, { client, conversation, print }: SlashContext): Promise<void> {
  const id = conversation.requireId();
  const total = new UsageTotal();
  for await (const messages of messagePages(client, id)) for (const message of messages) total.add(message);
  const { figures } = await client.sessions.get(id, { figures: 'true' });
  print(`${total.text(figures?.children)}\n`);
}
