import type { LogStore } from '@longhaul/core';
import { assembleLog, assembleMessages } from '../../shared/log-assembler.ts';
import { loadRowCheck } from '../../shared/row-shapes.ts';
import { assertDurable } from '../../shared/store-errors.ts';
import { assembleView } from '../../shared/view-assembler.ts';
import { readHead } from '../heads.ts';
import { findDamage } from '../tables/damage.ts';
import { readCost, readLogRows, readMessageRows, readPatches } from '../tables/log-rows.ts';
import { existingSession } from '../tables/sessions.ts';
import { readCollapsedRows, readViewRows } from '../tables/view-rows.ts';
import type { PostgresCore } from './store-core.ts';

export function logStore(core: PostgresCore): LogStore {
  return {
    appendMessage: (lease, draft, payloads = []) =>
      core.append(lease, undefined, (plan) => {
        assertDurable(payloads);
        const message = plan.message(draft);
        return { message, events: plan.events(payloads) };
      }),

    putPart: (lease, target, part, payloads = []) =>
      core.append(lease, target.messageId, (plan) => {
        assertDurable(payloads);
        const sequence = plan.part(target, part);
        return plan.events(payloads, { sequence, part: { index: target.index, part } });
      }),

    closeMessage: (lease, messageId, closing, payloads = []) =>
      core.append(lease, messageId, (plan) => {
        assertDurable(payloads);
        const sequence = plan.close(messageId, closing);
        return plan.events(payloads, { sequence });
      }),

    async loadLog(sessionId) {
      const { session, rows } = await core.read(
        async (db) => ({
          session: await existingSession(db, sessionId),
          rows: await readLogRows(db, sessionId),
        }),
        sessionId,
      );
      return assembleLog(session, rows);
    },

    async findDamage(sessionId) {
      const check = await loadRowCheck();
      return core.read(async (db) => {
        await existingSession(db, sessionId);
        return findDamage(db, sessionId, check);
      }, sessionId);
    },

    async loadView(sessionId, { collapse = false } = {}) {
      const readRows = collapse ? readCollapsedRows : readViewRows;
      const { session, rows } = await core.read(
        async (db) => ({
          session: await existingSession(db, sessionId),
          rows: await readRows(db, sessionId),
        }),
        sessionId,
      );
      return assembleView(session, rows);
    },

    listPatches: (sessionId, range) =>
      core.query(async (db) => {
        await readHead(db, sessionId);
        return readPatches(db, sessionId, range);
      }, sessionId),

    async readMessages(sessionId, range) {
      const rows = await core.read(async (db) => {
        await readHead(db, sessionId);
        return readMessageRows(db, sessionId, range);
      }, sessionId);
      return assembleMessages(rows);
    },

    costOf: (sessionId) =>
      core.query(async (db) => {
        await readHead(db, sessionId);
        return readCost(db, sessionId);
      }, sessionId),
  };
}
