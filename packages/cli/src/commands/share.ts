import { shareSession } from '@longhaul/core';
import { accessOf, type SessionAccess, SHARES, type Share } from '@longhaul/protocol';
import { SHARE_FLAGS } from '../command-line/flags.ts';
import { oneOf, parseFlags, usage } from '../command-line/parse-flags.ts';
import { withSession } from '../session/with-session.ts';
import type { Terminal } from '../terminal.ts';

/** `longhaul share`: sets what other tokens of the server may do with a session. */
export async function share(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'share', SHARE_FLAGS);
  const [id, word, ...others] = positionals;
  if (id === undefined || others.length > 0)
    throw usage(`Name a session and how to share it: longhaul share ID ${SHARES.join('|')}.`, 'share');
  const shared = oneOf<Share>(word, 'The second word of longhaul share', SHARES);
  const access = shared === undefined ? 'read' : 'change';
  return await withSession(
    id,
    { values, terminal, access, typed: ['share', ...argv] },
    async ({ store, session }) => {
      const now = accessOf(shared === undefined ? session : await shareSession(store, session, shared));
      terminal.out.write(values.json ? `${JSON.stringify(now)}\n` : `${shareText(now)}\n`);
      return 0;
    },
  );
}

const TEXTS: Readonly<Record<Share, string>> = {
  none: 'Other tokens do not see it.',
  read: 'Other tokens can read it.',
  work: 'Other tokens can read it and work in it.',
};

function shareText({ owner, shared }: SessionAccess): string {
  return `The session belongs to ${owner}. ${TEXTS[shared]}`;
}
