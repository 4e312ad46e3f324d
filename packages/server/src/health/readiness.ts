import type { Store } from '@longhaul/core';
import { type ErrorCode, toLonghaulError } from '@longhaul/protocol';
import type { HealthChecks } from '@longhaul/protocol/api';
import type { ModelDirectory } from '../server-options.ts';
import { cached } from './cached.ts';
import type { ModelHealth } from './model-health.ts';
import type { HealthProbes } from './probes.ts';

export interface ReadinessOptions {
  store: Pick<Store, 'putSetting' | 'assertUsable'>;
  models: Pick<ModelDirectory, 'resolve' | 'prepare'>;
  modelHealth: Pick<ModelHealth, 'failure' | 'isAnswered'>;
  /** Absent: the sandbox and the disk are not checked. */
  probes?: HealthProbes | undefined;
  now?: () => number;
}

/** A failed check in words, for the log of the server. It can contain paths. */
export interface Unready {
  check: keyof HealthChecks;
  code: ErrorCode | undefined;
  reason: string;
}

export interface Readiness {
  /** What anyone may know: `/readyz` needs no token. */
  checks: HealthChecks;
  /** Empty: the server is ready. */
  problems: Unready[];
}

/** Anyone can ask, so the answer is kept for a while. */
const KEPT_MS = 5_000;
const SANDBOX_KEPT_MS = 10 * 60 * 1_000;
const FAILED_SANDBOX_KEPT_MS = 30_000;
/** A run can need this much room in a moment. */
const LEAST_FREE_BYTES = 100_000_000;
/** In the settings of the store: what is written to check that it can be written. */
const KEY = 'readiness';

type Check = HealthChecks[keyof HealthChecks] & { reason?: string };

/** Creates the check whether runs can be expected to work now. It does not reject. */
export function createReadiness(options: ReadinessOptions): () => Promise<Readiness> {
  const { now = () => performance.now() } = options;
  const sandbox = cached(() => checkSandbox(options), {
    now,
    maxAgeMs: ({ ok }) => (ok ? SANDBOX_KEPT_MS : FAILED_SANDBOX_KEPT_MS),
  });
  return cached(
    async () => {
      const [store, disk, inSandbox, model] = await Promise.all([
        checkStore(options),
        checkDisk(options),
        sandbox(),
        checkModel(options),
      ]);
      return toReadiness({ store, disk, sandbox: inSandbox, model });
    },
    { now, maxAgeMs: () => KEPT_MS },
  );
}

function toReadiness(found: Record<keyof HealthChecks, Check>): Readiness {
  const problems = Object.entries(found).flatMap(([check, { ok, code, reason = '' }]) =>
    // The keys of a record of checks are their names.
    ok ? [] : [{ check: check as keyof HealthChecks, code, reason }],
  );
  const shown = ({ reason: _reason, ...check }: Check) => check;
  const { store, disk, sandbox, model } = found;
  return {
    checks: { store: shown(store), disk: shown(disk), sandbox: shown(sandbox), model: shown(model) },
    problems,
  };
}

async function checkStore({ store }: ReadinessOptions): Promise<Check> {
  return await outcome(async () => {
    await store.assertUsable?.();
    await store.putSetting(KEY, Date.now());
  });
}

async function checkDisk({ probes }: ReadinessOptions): Promise<Check> {
  const free = await probes?.freeBytes().catch(() => undefined);
  if (free === undefined) return { ok: true };
  if (free >= LEAST_FREE_BYTES) return { ok: true, freeBytes: free };
  const reason = `Only ${Math.floor(free / 1_000_000)} MB of the disk are free. Free some space: longhaul gc removes unneeded data.`;
  return { ok: false, code: 'store_full', freeBytes: free, reason };
}

async function checkSandbox({ probes }: ReadinessOptions): Promise<Check> {
  return await outcome(async () => await probes?.startSandbox());
}

async function checkModel({ models, modelHealth }: ReadinessOptions): Promise<Check> {
  // Sessions can name a model, so a server without a default one can work.
  if (modelHealth.isAnswered) return { ok: true };
  const { failure } = modelHealth;
  if (failure === undefined)
    return await outcome(async () => models.prepare(await models.resolve(undefined)));
  return {
    ok: false,
    code: failure,
    reason: 'The last call of a model failed. The log of its run has the reason.',
  };
}

async function outcome(work: () => Promise<unknown>): Promise<Check> {
  try {
    await work();
    return { ok: true };
  } catch (thrown) {
    const { code, message } = toLonghaulError(thrown);
    return { ok: false, code, reason: message };
  }
}
