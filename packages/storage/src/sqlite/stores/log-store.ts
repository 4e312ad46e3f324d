import type { PlacedPatch } from '@longhaul/context/engine';
import type {
  DamagedRow,
  Lease,
  LogStore,
  MessageClosing,
  MessageDraft,
  SequenceRange,
  SessionLog,
  SessionView,
  Store,
  ViewOptions,
} from '@longhaul/core';
import type { EventPayload, LonghaulEvent, Message, Part } from '@longhaul/protocol';
import { damagedRows } from '../../shared/damaged-rows.ts';
import { assembleLog, assembleMessages } from '../../shared/log-assembler.ts';
import { loadRowCheck } from '../../shared/row-shapes.ts';
import { assembleView } from '../../shared/view-assembler.ts';
import { readCollapsedRows } from '../collapsed-view.ts';
import { readCost, readLogRows, readMessageRows, readPatches } from '../log-reader.ts';
import { readViewRows } from '../view-reader.ts';
import type { StoreCore } from './store-core.ts';

export function logStore(core: StoreCore): LogStore {
  return {
    appendMessage(
      lease: Lease,
      draft: MessageDraft,
      events: readonly EventPayload[] = [],
    ): Promise<{ message: Message; events: LonghaulEvent[] }> {
      return core.write(() => {
        const head = core.heads.held(lease);
        const message = core.messages.append(head, draft);
        return { message, events: core.appendAndSave(head, events) };
      });
    },

    putPart(
      lease: Lease,
      target: { messageId: string; index: number },
      part: Part,
      events: readonly EventPayload[] = [],
    ): Promise<LonghaulEvent[]> {
      return core.append(lease, events, () => ({
        sequence: core.parts.put(lease.sessionId, target, part),
        part: { index: target.index, part },
      }));
    },

    closeMessage(
      lease: Lease,
      messageId: string,
      closing: MessageClosing,
      events: readonly EventPayload[] = [],
    ): Promise<LonghaulEvent[]> {
      return core.append(lease, events, () => ({
        sequence: core.messages.close(lease.sessionId, messageId, closing),
      }));
    },

    async loadLog(sessionId: string): Promise<SessionLog> {
      const { session, rows } = await core.read(() => ({
        session: core.sessions.existing(sessionId),
        rows: readLogRows(core.db, sessionId),
      }));
      return assembleLog(session, rows);
    },

    async findDamage(sessionId: string): Promise<DamagedRow[]> {
      const check = await loadRowCheck();
      return core.read(() => {
        core.sessions.existing(sessionId);
        return [...damagedRows(core.rows, { check, sessionId })].map(({ sessionId: _, ...row }) => row);
      });
    },

    async loadView(sessionId: string, { collapse = false }: ViewOptions = {}): Promise<SessionView> {
      const readRows = collapse ? readCollapsedRows : readViewRows;
      const { session, rows } = await core.read(() => ({
        session: core.sessions.existing(sessionId),
        rows: readRows(core.db, sessionId),
      }));
      return assembleView(session, rows);
    },

    listPatches(sessionId: string, range?: SequenceRange): Promise<PlacedPatch[]> {
      return core.read(() => {
        core.heads.of(sessionId);
        return readPatches(core.db, sessionId, range);
      });
    },

    async readMessages(
      ...[sessionId, range]: Parameters<Store['readMessages']>
    ): ReturnType<Store['readMessages']> {
      const rows = await core.read(() => {
        core.heads.of(sessionId);
        return readMessageRows(core.db, sessionId, range);
      });
      return assembleMessages(rows);
    },

    costOf(sessionId: string): Promise<number> {
      return core.read(() => {
        core.heads.of(sessionId);
        return readCost(core.db, sessionId);
      });
    },
  };
}
