import { createHash } from 'node:crypto';
import { loadConfig, type ProjectTrust, TrustStore } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
import type { WorkspaceTrust } from '@longhaul/protocol/api';
import type { TrustService } from '@longhaul/server';
import { grantable } from '../trust/settle-trust.ts';

export interface ServedTrustOptions {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** Without a token, every program on this machine could trust, also one that the agent started. */
  hasToken: boolean;
}

/** Reads and answers trust in workspaces, for clients of a server. */
export function servedTrust({ env, home, hasToken }: ServedTrustOptions): TrustService {
  const store = new TrustStore({ env, home });
  const read = async (cwd: string) => (await loadConfig({ cwd, env, home })).project;
  const get = async (cwd: string) => shown(cwd, await read(cwd));
  return {
    get,
    async answer(cwd, { hash, trusted }) {
      if (!hasToken)
        throw new LonghaulError('forbidden', 'A server without a token cannot trust. Use: longhaul trust');
      const project = await read(cwd);
      const now = shown(cwd, project);
      if (now.hash !== hash) {
        throw new LonghaulError(
          'invalid_request',
          'The files of the workspace want something else than what was shown. Get it again with GET /api/trust, and answer that.',
        );
      }
      if (project?.problem !== undefined) throw new LonghaulError('invalid_request', project.problem);
      if (!trusted) await store.remove(now.workspace);
      else if (project !== undefined) await store.put(now.workspace, grantable(project));
      return await get(cwd);
    },
  };
}

function shown(cwd: string, project: ProjectTrust | undefined): WorkspaceTrust {
  const { workspace = cwd, file, wants = [] } = project ?? {};
  const ids = wants.map(({ id }) => id);
  return {
    workspace,
    file,
    hash: createHash('sha256')
      .update(JSON.stringify([workspace, ids]))
      .digest('hex'),
    isTrusted: wants.every(({ isTrusted }) => isTrusted),
    wants: wants.map(({ id: _id, ...want }) => want),
  };
}
