import { isOnPath } from '@longhaul/context/engine';
import type { Lease, LedgerCheckpoint, MarkStore, Store } from '@longhaul/core';
import type { Compaction, EventPayload, LonghaulEvent, Mark } from '@longhaul/protocol';
import { assembleMarkLog } from '../../shared/log-assembler.ts';
import { readLivePath } from '../live-rows.ts';
import { readMarks } from '../log-reader.ts';
import type { StoreCore } from './store-core.ts';

export function markStore(core: StoreCore): MarkStore {
  return {
    recordCompaction(
      lease: Lease,
      compaction: Omit<Compaction, 'kind' | 'sessionId'>,
      {
        marks = [],
        events = [],
        checkpoint,
        spans,
        summary,
        note,
      }: Parameters<Store['recordCompaction']>[2] = {},
    ): ReturnType<Store['recordCompaction']> {
      const { sessionId } = lease;
      return core.write(() => {
        const head = core.heads.held(lease);
        core.marks.add(sessionId, { ...compaction, kind: 'compaction', sessionId }, spans);
        for (const mark of marks) core.marks.add(sessionId, mark);
        if (checkpoint !== undefined) core.checkpoints.put(sessionId, checkpoint);
        if (summary !== undefined) core.sessions.change(sessionId, { summary });
        const noted = note && { note: core.messages.append(head, note) };
        return { events: core.appendAndSave(head, events), ...noted };
      });
    },

    loadCheckpoint(sessionId: string): Promise<LedgerCheckpoint | undefined> {
      return core.read(() => {
        const checkpoint = core.checkpoints.get(sessionId);
        if (checkpoint === undefined) return undefined;
        return isOnPath(readLivePath(core.db, sessionId), checkpoint.sequence) ? checkpoint : undefined;
      });
    },

    recordMarks(
      lease: Lease,
      marks: readonly Mark[],
      events: readonly EventPayload[] = [],
    ): Promise<LonghaulEvent[]> {
      return core.append(lease, events, () => {
        for (const mark of marks) core.marks.add(lease.sessionId, mark);
        return undefined;
      });
    },

    undoMark(sessionId: string, markId: string, undoneAt: number): Promise<boolean> {
      return core.inSession(sessionId, () => core.marks.undo(sessionId, markId, undoneAt));
    },

    async readMarks(sessionId: string): ReturnType<Store['readMarks']> {
      const rows = await core.read(() => {
        core.heads.of(sessionId);
        return readMarks(core.db, sessionId);
      });
      return assembleMarkLog(rows);
    },
  };
}
