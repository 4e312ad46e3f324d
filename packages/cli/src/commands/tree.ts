import type { Store } from '@longhaul/core';
import { gitAtStart, handleOf, isObject, type Message, type Session } from '@longhaul/protocol';
import { TREE_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { shortId } from '../render/format.ts';
import { gitStartText } from '../render/git-start-text.ts';
import { createPaint } from '../render/paint.ts';
import { withSession } from '../session/with-session.ts';
import { type Terminal, wantsColors } from '../terminal.ts';

const MAX_TEXT_CHARS = 60;

/** `longhaul tree`: shows the branches of a session's conversation, and the sessions that were copied from it. */
export async function tree(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'tree', TREE_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0) throw usage('Name one session: longhaul tree ID.', 'tree');
  return await withSession(
    id,
    { values, terminal, access: 'read', typed: ['tree', ...argv] },
    async ({ runtime, store, session }) => {
      const { branches, head } = await runtime.files.tree(session.id);
      const forks = await forksOf(store, session.id);
      const named = await Promise.all(
        branches.map(async (branch) => ({
          ...branch,
          text: await beginningOf(store, session.id, branch.first),
        })),
      );
      const git = gitAtStart(session);
      if (values.json) {
        terminal.out.write(`${JSON.stringify({ branches: named, head, forks, git })}\n`);
        return 0;
      }
      const paint = createPaint(wantsColors(terminal, undefined));
      if (git !== undefined) terminal.out.write(`${paint.dim('started on')} ${gitStartText(git)}\n`);
      for (const { first, last, parent, liveUntil, text } of named) {
        const range = first === last ? handleOf(first) : `${handleOf(first)}–${handleOf(last)}`;
        const from = parent === 0 ? 'from the beginning' : `after ${handleOf(parent)}`;
        const state =
          liveUntil === undefined
            ? ''
            : liveUntil === last
              ? 'current'
              : `current up to ${handleOf(liveUntil)}`;
        terminal.out.write(
          `${paint.bold(range)}  ${from}  ${text}${state === '' ? '' : `  ${paint.good(state)}`}\n`,
        );
      }
      for (const { id: fork, at, title } of forks)
        terminal.out.write(
          `${paint.bold(shortId(fork))}  copied ${at === undefined ? 'at its end' : `after ${handleOf(at)}`}  ${title}\n`,
        );
      if (branches.length === 0) terminal.out.write('The session has no messages.\n');
      return 0;
    },
  );
}

/** Returns the beginning of the first text of a person in a branch. */
async function beginningOf(store: Store, sessionId: string, first: number): Promise<string> {
  const { messages } = await store.readMessages(sessionId, { after: first - 1, limit: 20 });
  const own = messages.find(({ role, metadata }) => role === 'user' && metadata?.synthetic === undefined);
  const text = textOf(own ?? messages[0])
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
}

function textOf(message: Message | undefined): string {
  return (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? part.text : [])).join(' ');
}

async function forksOf(
  store: Store,
  sessionId: string,
): Promise<{ id: string; at?: number; title: string }[]> {
  const found: { id: string; at?: number; title: string }[] = [];
  for (let before: string | undefined; ; ) {
    const page = await store.listSessions({ limit: 200, ...(before !== undefined && { before }) });
    for (const session of page) {
      const origin = originOf(session);
      if (origin?.sessionId !== sessionId) continue;
      found.push({ id: session.id, title: session.title, ...(origin.at !== undefined && { at: origin.at }) });
    }
    before = page.at(-1)?.id;
    if (before === undefined) return found.reverse();
  }
}

function originOf({ metadata }: Session): { sessionId: unknown; at: number | undefined } | undefined {
  const origin = metadata?.['forkedFrom'];
  if (!isObject(origin)) return undefined;
  const { sessionId, at } = origin;
  return { sessionId, at: typeof at === 'number' ? at : undefined };
}
