import { isOnPath, livePath } from '@longhaul/context/engine';
import { compactionHistory, type PastCompaction } from '@longhaul/core';
import { handleOf, LonghaulError, type Message } from '@longhaul/protocol';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'listSteps' | 'listCompactions' | 'getCompaction';

const PAGE = 1_000;

/** What a session has used, and how it was compacted. */
export function historyHandlers({ store }: HandlerContext): Pick<RouteHandlers, Names> {
  async function pageAfter(sessionId: string, after: number, limit: number): Promise<Message[]> {
    return (await store.readMessages(sessionId, { after, limit, skipParts: true })).messages;
  }

  async function allMessages(sessionId: string): Promise<Message[]> {
    const all: Message[] = [];
    for (;;) {
      const page = await pageAfter(sessionId, all.at(-1)?.sequence ?? 0, PAGE);
      if (page.length === 0) return all;
      all.push(...page);
    }
  }

  async function compactionsOf(sessionId: string): Promise<PastCompaction[]> {
    const [messages, { marks }] = [await allMessages(sessionId), await store.readMarks(sessionId)];
    return compactionHistory(messages, marks);
  }

  return {
    async listSteps({ params: { sessionId }, query: { after, limit } }) {
      const { marks } = await store.readMarks(sessionId);
      const path = livePath(marks);
      const steps: Message[] = [];
      for (let last = after; steps.length <= limit; ) {
        const page = await pageAfter(sessionId, last, PAGE);
        const end = page.at(-1);
        if (end === undefined) break;
        last = end.sequence;
        steps.push(...page.filter(({ role }) => role === 'assistant'));
      }
      return {
        steps: steps.slice(0, limit).map((step) => toStep(step, path)),
        hasMore: steps.length > limit,
      };
    },

    async listCompactions({ params: { sessionId } }) {
      return { compactions: (await compactionsOf(sessionId)).map(toFigures) };
    },

    async getCompaction({ params: { sessionId, compactionId } }) {
      const found = (await compactionsOf(sessionId)).find(({ compaction }) => compaction.id === compactionId);
      if (found === undefined)
        throw new LonghaulError('not_found', 'This session has no compaction with this id.');
      return { ...toFigures(found), summary: found.compaction.summary };
    },
  };
}

function toStep(message: Message, path: ReturnType<typeof livePath>) {
  const { sequence, createdAt: at, model, usage, cost, finishReason } = message;
  const isReverted = !isOnPath(path, sequence);
  return { handle: handleOf(sequence), sequence, at, model, usage, cost, finishReason, isReverted };
}

function toFigures({ compaction, ...place }: PastCompaction) {
  const { id, round, strategy, reason, createdAt, undoneAt, tokensBefore, tokensAfter } = compaction;
  return { id, round, strategy, reason, createdAt, undoneAt, tokensBefore, tokensAfter, ...place };
}
