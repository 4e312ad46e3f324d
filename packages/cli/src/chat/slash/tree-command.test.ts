import { describe, expect, it } from 'vitest';
import { createPaint } from '../../render/paint.ts';
import { SlashCommands } from './all-commands.ts';
import type { SlashContext } from './slash-command.ts';

const OLD = { first: 3, last: 6, parent: 2, liveUntil: undefined };
const CURRENT = { first: 1, last: 8, parent: 0, liveUntil: 8 };

interface Typed {
  branches?: readonly object[];
  /** What is chosen, one answer for each question. */
  picks?: readonly unknown[];
  /** Files that somebody else has changed. */
  conflicts?: readonly string[];
}

/** Types `/tree`. Returns the questions, the requests to revert, and what was printed. */
async function typed({ branches = [OLD, CURRENT], picks = [], conflicts = [] }: Typed) {
  const questions: { title: string; labels: string[]; descriptions: unknown[] }[] = [];
  const reverts: object[] = [];
  const answers = [...picks];
  let printed = '';
  const revert = async (_id: string, body: { keep?: boolean; force?: boolean }) => {
    reverts.push(body);
    const isBlocked = conflicts.length > 0 && body.keep !== true && body.force !== true;
    const status = isBlocked ? 'blocked' : 'reverted';
    return { status, handle: 'm6', files: [], skipped: [], conflicts, hides: 2, conversation: !isBlocked };
  };
  const context = {
    client: { tree: async () => ({ branches, head: 8 }), revert },
    conversation: { requireId: () => 'id' },
    surface: {
      columns: 80,
      pick: async ({ title, items }: { title: string; items: { label: string; description?: string }[] }) => {
        const labels = items.map(({ label }) => label);
        questions.push({ title, labels, descriptions: items.map(({ description }) => description) });
        return answers.shift();
      },
    },
    paint: createPaint(false),
    print: (more: string) => {
      printed += more;
    },
  };
  await new SlashCommands().run('/tree', context as unknown as SlashContext);
  return { questions, reverts, printed };
}

describe('/tree', () => {
  it('lists the branches, and says which one is current', async () => {
    const { questions, reverts } = await typed({});
    expect(questions).toEqual([
      {
        title: 'Switch to the end of which branch?',
        labels: ['m3–m6', 'm1–m8'],
        descriptions: ['after m2', 'from the beginning, current'],
      },
    ]);
    expect(reverts).toEqual([]);
  });

  it('goes to the end of the chosen branch, with its last message', async () => {
    const { reverts, printed } = await typed({ picks: [6] });
    expect(reverts).toEqual([{ target: 'm6', after: true }]);
    expect(printed).toContain('after m6');
    expect((await typed({ picks: [8] })).reverts).toEqual([]);
  });

  it('asks about files that somebody else has changed', async () => {
    const kept = await typed({ picks: [6, 'keep'], conflicts: ['a.txt'] });
    expect(kept.questions[1]?.title).toBe('Go there anyway?');
    expect(kept.reverts.at(-1)).toEqual({ target: 'm6', after: true, keep: true });
    expect(kept.printed).toContain('a.txt');
    const left = await typed({ picks: [6, 'no'], conflicts: ['a.txt'] });
    expect(left.reverts).toEqual([{ target: 'm6', after: true }]);
  });

  it.each([
    [[], 'no messages'],
    [[CURRENT], 'one branch'],
  ])('says when there is nothing to choose', async (branches, words) => {
    const { questions, printed } = await typed({ branches });
    expect(questions).toEqual([]);
    expect(printed).toContain(words);
  });
});
