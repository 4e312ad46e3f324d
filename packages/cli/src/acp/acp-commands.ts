import type { AcpCommand } from '@longhaul/acp';
import { listMessages, type Store, spentByChildren } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { ServedAgent } from '@longhaul/server';
import { stateLines } from '../mcp/server-lines.ts';
import { compactionText } from '../render/compaction-text.ts';
import { contextPage } from '../render/context-page.ts';
import { fitLine } from '../render/format.ts';
import { matchLines } from '../render/match-lines.ts';
import { skillLines } from '../render/skill-lines.ts';
import { undoText } from '../render/undo-text.ts';
import { UsageTotal } from '../render/usage-total.ts';

type Parts = Pick<ServedAgent, 'runtime' | 'store' | 'mcp' | 'skillsOf'>;

/** Texts are laid out for a narrow panel. */
const LAYOUT = { columns: 80, colors: false };
const FOUND = 30;
const SHOWN_CHARS = 60;

/** Returns the commands that work on a session: they show and change what its window has. */
export function sessionCommands({ runtime, store, mcp, skillsOf }: Parts, workspace: string): AcpCommand[] {
  return [
    {
      name: 'compact',
      needsSession: true,
      hint: 'what the summary keeps in particular',
      description: 'replace older messages of this session with a summary',
      async run(words, { sessionId, signal }) {
        const result = await runtime.compact(sessionId, { signal, focus: words });
        return { text: compactionText(result, { ...LAYOUT, id: sessionId }) };
      },
    },
    {
      name: 'undo',
      needsSession: true,
      description: 'undo the newest compaction',
      run: async (_words, { sessionId }) => ({
        text: undoText(await runtime.undoCompaction(sessionId), LAYOUT.columns),
      }),
    },
    {
      name: 'context',
      needsSession: true,
      description: 'show what fills the window',
      run: async (_words, { sessionId, title }) => ({
        text: contextPage(await runtime.contextOf(sessionId), { ...LAYOUT, title }),
      }),
    },
    ...pinCommands(runtime),
    {
      name: 'recall',
      needsSession: true,
      hint: 'words',
      description: 'find words in this session, also in hidden messages',
      async run(words, { sessionId, title }) {
        if (words === '') throw new LonghaulError('usage', 'Name words to find: /recall timeout');
        const hits = await store.search(words, { limit: FOUND, sessionId });
        return {
          text: matchLines(
            hits.map((hit) => ({ ...hit, title })),
            { words, ...LAYOUT },
          ),
        };
      },
    },
    {
      name: 'cost',
      needsSession: true,
      description: 'show the tokens and the cost of this session',
      run: async (_words, { sessionId }) => ({ text: await costText(store, sessionId) }),
    },
    {
      name: 'skills',
      description: 'show the skills that the agent can read, and folders that cannot be used as skills',
      run: async () => ({ text: skillLines(await skillsOf(workspace)).join('\n') }),
    },
    {
      name: 'mcp',
      description: 'show the MCP servers, their state and their tools',
      run: async (_words, { sessionId }) => ({ text: stateLines(await mcp.list(sessionId)).join('\n') }),
    },
  ];
}

function pinCommands(runtime: Parts['runtime']): AcpCommand[] {
  const required = (words: string, name: string) => {
    if (words !== '') return words;
    throw new LonghaulError('usage', `Name a message: /${name} m12. /recall finds handles.`);
  };
  return [
    {
      name: 'pin',
      needsSession: true,
      hint: 'handle, such as m12',
      description: 'keep a message in the window through every compaction',
      async run(words, { sessionId }) {
        const { changed, handle, text } = await runtime.pin(sessionId, required(words, 'pin'));
        return { text: `${changed ? 'Pinned' : 'Already pinned'}: ${handle} ${fitLine(text, SHOWN_CHARS)}` };
      },
    },
    {
      name: 'unpin',
      needsSession: true,
      hint: 'handle, such as m12',
      description: 'let compactions hide a message again',
      async run(words, { sessionId }) {
        const { changed, handle, text } = await runtime.unpin(sessionId, required(words, 'unpin'));
        return {
          text: `${changed ? 'Unpinned' : 'It was not pinned'}: ${handle} ${fitLine(text, SHOWN_CHARS)}`,
        };
      },
    },
  ];
}

const PAGE = 200;

async function costText(
  store: Pick<Store, 'readMessages' | 'readMarks' | 'listSessions'>,
  sessionId: string,
): Promise<string> {
  const total = new UsageTotal();
  for (let after = 0; ; ) {
    const { messages, hasMore } = await listMessages(store, sessionId, { limit: PAGE, after });
    for (const message of messages) total.add(message);
    const last = messages.at(-1);
    if (!hasMore || last === undefined) return total.text(await spentByChildren(store, sessionId));
    after = last.sequence;
  }
}
