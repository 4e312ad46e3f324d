import { createHash } from 'node:crypto';
import { loadConfig, type ProjectTrust, storeTrust, TrustStore, type Want } from '@longhaul/config';
import type { Runtime } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { WorkspaceTrust } from '@longhaul/protocol/api';
import type { TrustService } from '@longhaul/server';
import { shownWants } from '../trust/trust-events.ts';
import type { ServedSettings } from './served-settings.ts';
import type { TrustNotices } from './trust-notices.ts';

export interface ServedTrustOptions {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** Without a token, every program on this machine could trust, also one that the agent started. */
  hasToken: boolean;
  settings: Pick<ServedSettings, 'reload' | 'project' | 'projectAtStart'>;
  notices: TrustNotices;
  runtime: Pick<Runtime, 'announce'>;
}

/**
 * Reads and answers trust in workspaces, for clients of a server. An answer about the file that the server uses takes
 * effect before the answer returns.
 */
export function servedTrust(options: ServedTrustOptions): TrustService {
  const { env, home, hasToken, settings, notices, runtime } = options;
  const store = new TrustStore({ env, home });
  const read = async (cwd: string) => (await loadConfig({ cwd, env, home })).project;
  const toShown = (cwd: string, project: ProjectTrust | undefined) =>
    shown(cwd, project, {
      atStart: settings.projectAtStart,
      isServers: project !== undefined && project.workspace === settings.project?.workspace,
    });
  return {
    get: async (cwd) => toShown(cwd, await read(cwd)),
    async answer(cwd, { hash, trusted }) {
      if (!hasToken)
        throw new LonghaulError('forbidden', 'A server without a token cannot trust. Use: longhaul trust');
      const project = await read(cwd);
      const now = toShown(cwd, project);
      if (now.hash !== hash) {
        throw new LonghaulError(
          'invalid_request',
          'The files of the workspace have changed since they were shown. Read them again with GET /api/trust, and answer that.',
        );
      }
      if (project?.problem !== undefined) throw new LonghaulError('invalid_request', project.problem);
      if (!trusted) await store.remove(now.workspace);
      else if (project !== undefined) await storeTrust(project, store);
      await settings.reload();
      if (settings.project?.workspace === now.workspace) {
        const answer = trusted ? 'trusted' : 'ignored';
        await notices.answered(answer, { project: settings.project, runtime });
      }
      return toShown(cwd, await read(cwd));
    },
  };
}

function shown(
  cwd: string,
  project: ProjectTrust | undefined,
  { atStart, isServers }: { atStart: ProjectTrust | undefined; isServers: boolean },
): WorkspaceTrust {
  const { workspace = cwd, file, wants = [] } = project ?? {};
  const ids = wants.map(({ id }) => id);
  return {
    workspace,
    file,
    hash: createHash('sha256')
      .update(JSON.stringify([workspace, ids]))
      .digest('hex'),
    isTrusted: wants.every(({ isTrusted }) => isTrusted),
    wants: shownWants({ wants }).map((want) => ({ ...want })),
    needsRestart: isServers ? changedAtRestart(atStart?.wants ?? [], wants) : [],
  };
}

/** Sections that a server reads only when it starts. */
const READ_AT_START: ReadonlySet<string> = new Set(['server', 'storage', 'telemetry']);
/** A module is loaded once in a process. */
const MODULE_KEY = 'context.compression.strategy';

function changedAtRestart(before: readonly Want[], now: readonly Want[]): string[] {
  const [started, current] = [trustedIds(before), trustedIds(now)];
  const keys = [...new Set([...started.keys(), ...current.keys()])];
  return keys.filter((key) => {
    if (started.get(key) === current.get(key)) return false;
    if (key.endsWith(MODULE_KEY)) return started.has(key) && current.has(key);
    return READ_AT_START.has(key.split('.')[0] ?? '');
  });
}

function trustedIds(wants: readonly Want[]): Map<string, string> {
  return new Map(wants.flatMap(({ key, id, isTrusted }) => (isTrusted ? [[key, id] as const] : [])));
}
