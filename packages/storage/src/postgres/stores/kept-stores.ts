import type { OutputStore, ProcessStore, SearchStore, SettingsStore, UsageStore } from '@longhaul/core';
import type { ServerMemory } from '@longhaul/models';
import { readHead } from '../heads.ts';
import { addOutput, deleteOutputs, listOutputs } from '../tables/outputs.ts';
import { addProcess, endProcess, listProcesses } from '../tables/processes.ts';
import { searchParts } from '../tables/search.ts';
import {
  getServerSettings,
  getSetting,
  getWindow,
  putServerSettings,
  putSetting,
  putWindow,
  removeWindow,
} from '../tables/settings.ts';
import { listUsage, readSpent, recordUsage } from '../tables/usage.ts';
import type { PostgresCore } from './store-core.ts';

export function outputStore(core: PostgresCore): OutputStore {
  return {
    recordOutput: (lease, output) =>
      core.held(lease, ({ db, now }) => addOutput(db, lease.sessionId, { output, now })),

    listOutputs: (sessionId) =>
      core.query(async (db) => {
        await readHead(db, sessionId);
        return listOutputs(db, sessionId);
      }, sessionId),

    deleteOutputs: (lease, handles) =>
      core.held(lease, ({ db, now }) => deleteOutputs(db, lease.sessionId, { handles, now })),
  };
}

export function processStore(core: PostgresCore): ProcessStore {
  return {
    recordProcess: (lease, started) =>
      core.held(lease, ({ db, now }) => addProcess(db, lease, { started, now })),

    endProcess: (id, outcome) =>
      core.write('', (db) => endProcess(db, { id, outcome, now: core.clock.now() })),

    listProcesses: (sessionId, options = {}) =>
      core.query(async (db) => {
        await readHead(db, sessionId);
        return listProcesses(db, sessionId, options);
      }),
  };
}

export function searchStore(core: PostgresCore): SearchStore {
  return {
    search: (terms, { sessionId, limit = 20, includeReverted = false } = {}) =>
      core.read((db) => searchParts(db, terms, { sessionId, limit, includeReverted }), sessionId),
  };
}

export function settingsStore(core: PostgresCore): SettingsStore {
  return {
    getSetting: (key) => core.query((db) => getSetting(db, key), ''),
    putSetting: (key, value) => core.write('', (db) => putSetting(db, key, value)),
  };
}

/** Writes of the sums are in the same line, so that a process does not wait for itself. */
export function usageStore(core: PostgresCore): UsageStore {
  const now = () => core.clock.now();
  return {
    recordUsage: (entry) => core.write('', (db) => recordUsage(db, entry, now())),
    readSpent: (of) => core.query((db) => readSpent(db, of, now()), ''),
    listUsage: (query) => core.query((db) => listUsage(db, query), ''),
  };
}

export function serverStore(core: PostgresCore): ServerMemory {
  const now = () => core.clock.now();
  return {
    learnedWindow: (server, reportedTokens) =>
      core.query((db) => getWindow(db, server, { reportedTokens, now: now() }), ''),
    learnWindow: (server, windowTokens, reportedTokens) =>
      core.write('', (db) => putWindow(db, server, { windowTokens, reportedTokens, now: now() })),
    forgetWindow: (server) => core.write('', (db) => removeWindow(db, server)),
    learnedSettings: (server) => core.query((db) => getServerSettings(db, server, now()), ''),
    learnSettings: (server, learned) =>
      core.write('', (db) => putServerSettings(db, server, { learned, now: now() })),
  };
}
