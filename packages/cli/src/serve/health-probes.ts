import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
import type { HealthProbes } from '@longhaul/server';
import { openSandbox } from '../compose/open-sandbox.ts';
import { blobFolder, databasePath } from '../compose/storage-place.ts';

const SANDBOX_MS = 20_000;

/** Looks at the disk of the store, and starts sandboxes as sessions do. */
export function healthProbes({
  url,
  config,
  env,
}: {
  url: string;
  config: () => Config;
  env: Readonly<Record<string, string | undefined>>;
}): HealthProbes {
  const path = url.startsWith('sqlite:') ? databasePath(url) : undefined;
  return {
    async freeBytes() {
      if (path === undefined) return undefined;
      const { bavail, bsize } = await statfs(dirname(path));
      return bavail * bsize;
    },
    async storedBytes() {
      if (path === undefined) return undefined;
      const { storedBytes } = await import('@longhaul/storage/maintenance');
      return await storedBytes({ path, blobs: blobFolder(path) });
    },
    async startSandbox() {
      const workspace = await mkdtemp(join(tmpdir(), 'longhaul-ready-'));
      try {
        await using sandbox = await openSandbox(config(), { session: { id: 'readiness', workspace }, env });
        const { ended, exitCode } = await sandbox.exec('true', { timeoutMs: SANDBOX_MS, onOutput: () => {} });
        if (ended === 'exit' && exitCode === 0) return;
        throw new LonghaulError(
          'sandbox_failed',
          `A command without effect failed in the sandbox (${ended}).`,
        );
      } finally {
        await rm(workspace, { recursive: true, force: true });
      }
    },
  };
}
