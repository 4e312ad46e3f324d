import { spawnSync } from 'node:child_process';
import { LonghaulError } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { createReadiness } from '../src/health/readiness.ts';
import type { HealthProbes } from '../src/index.ts';
import { pieces, startTestServer } from './test-server.ts';

function machine(): HealthProbes & { free: number; sandbox: LonghaulError | undefined; starts: number } {
  return {
    free: 1e9,
    sandbox: undefined,
    starts: 0,
    async freeBytes() {
      return this.free;
    },
    storedBytes: async () => ({ database: 1_000, blobs: 200 }),
    async startSandbox() {
      this.starts += 1;
      if (this.sandbox !== undefined) throw this.sandbox;
    },
  };
}

describe('readiness', () => {
  const everything = () => {
    const probes = machine();
    const state = {
      now: 0,
      probes,
      store: { failure: undefined as LonghaulError | undefined },
      model: { failure: undefined as LonghaulError | undefined },
      health: { failure: undefined as 'provider_auth' | undefined, isAnswered: false },
    };
    const check = createReadiness({
      now: () => state.now,
      probes,
      modelHealth: state.health,
      store: {
        async putSetting() {
          if (state.store.failure !== undefined) throw state.store.failure;
        },
      },
      models: {
        async resolve() {
          if (state.model.failure !== undefined) throw state.model.failure;
          return 'played/one';
        },
        prepare: async () => {},
      },
    });
    const failing = async () => {
      state.now += 3_600_000;
      return (await check()).problems.map(({ check: name, code }) => `${name} ${code}`);
    };
    return { state, check, failing };
  };

  it('checks the store, the disk, a sandbox and the model, and names each reason', async () => {
    const { state, check, failing } = everything();
    expect(await failing()).toEqual([]);
    state.store.failure = new LonghaulError('store_full', 'The disk of /secret/path is full.');
    state.probes.free = 20_000_000;
    state.probes.sandbox = new LonghaulError('sandbox_unavailable', 'No bubblewrap.');
    state.model.failure = new LonghaulError('key_missing', 'No key.');
    expect(await failing()).toEqual([
      'store store_full',
      'disk store_full',
      'sandbox sandbox_unavailable',
      'model key_missing',
    ]);
    const { checks, problems } = await check();
    // Anyone can ask, so paths are only for the log.
    expect(JSON.stringify(checks)).not.toContain('/secret/path');
    expect(problems[0]?.reason).toContain('/secret/path');
    expect(checks.disk).toEqual({ ok: false, code: 'store_full', freeBytes: 20_000_000 });
  });

  it('is what the last calls of models said, more than what is configured', async () => {
    const { state, failing } = everything();
    state.health.failure = 'provider_auth';
    expect(await failing()).toEqual(['model provider_auth']);
    state.health.failure = undefined;
    state.health.isAnswered = true;
    state.model.failure = new LonghaulError('model_not_configured', 'None.');
    expect(await failing()).toEqual([]);
  });

  it('starts no sandbox for each request', async () => {
    const { state, check } = everything();
    await Promise.all([check(), check()]);
    state.now += 60_000;
    await check();
    expect(state.probes.starts).toBe(1);
    state.now += 600_000;
    state.probes.sandbox = new LonghaulError('sandbox_failed', 'No.');
    await check();
    state.now += 40_000;
    await check();
    expect(state.probes.starts).toBe(3);
  });
});

it('/readyz answers 503 with the checks after a call with a wrong key, and 200 after one that works', async () => {
  let isRefused = true;
  const play = async function* () {
    if (isRefused) throw new LonghaulError('provider_auth', 'Wrong key.');
    yield* pieces('fine');
  };
  await using server = await startTestServer({ play, options: { probes: machine() } });
  const say = async (content: string) => {
    const id = await server.newSession();
    await server.call('POST', `/api/sessions/${id}/messages`, { content });
    await expect
      .poll(async () => (await server.call('GET', `/api/sessions/${id}`))['state'])
      .not.toBe('running');
  };
  await say('one');
  const refused = await server.fetch('/readyz', { token: null });
  expect([refused.status, await refused.json()]).toMatchObject([
    503,
    { status: 'unavailable', code: 'provider_auth', checks: { store: { ok: true }, model: { ok: false } } },
  ]);
  expect(await server.server.problems()).toEqual([expect.stringMatching(/^model: /)]);
  isRefused = false;
  await say('two');
  const metrics = await (await server.fetch('/metrics')).text();
  expect(metrics).toContain('longhaul_run_ends_total{status="failed",code="provider_auth"} 1');
  expect(metrics).toContain('longhaul_run_ends_total{status="completed",code=""} 1');
  expect(metrics).toContain('longhaul_database_bytes 1000');
  expect(metrics).toContain('longhaul_disk_free_bytes 1000000000');
  expect(metrics).toContain('longhaul_queued_messages 0');
});

describe('/metrics', () => {
  it('follows the naming rules of Prometheus', async () => {
    await using server = await startTestServer({ options: { probes: machine() } });
    const metrics = await (await server.fetch('/metrics')).text();
    const types = [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({
      name,
      type,
    }));
    expect(types.length).toBeGreaterThan(20);
    for (const { name, type } of types) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      expect(metrics).toContain(`# HELP ${name} `);
      // Base units only, without abbreviations.
      expect(name).not.toMatch(/_(?:ms|msec|milliseconds|kb|mb|kilobytes|minutes|hours)(?:_|$)/);
    }
    const tool = spawnSync('promtool', ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
    // The rules above are those of promtool. Where it is installed, it has the last word.
    if (tool.error === undefined) expect([tool.stdout + tool.stderr, tool.status]).toEqual(['', 0]);
  });
});

it('keeps the request id of a proxy if it is sane, and logs it with the address', async () => {
  await using server = await startTestServer();
  const idOf = async (id: string) => {
    const response = await server.fetch('/healthz', { headers: { 'x-request-id': id } });
    return response.headers.get('x-request-id');
  };
  expect(await idOf('0af7651916cd43dd8448eb211c80319c')).toBe('0af7651916cd43dd8448eb211c80319c');
  expect(await idOf('a"} {"level":50')).toMatch(/^[0-9a-f-]{36}$/);
  expect(server.log.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      requestId: '0af7651916cd43dd8448eb211c80319c',
      token: 'admin',
      address: '127.0.0.1',
    }),
  );
});
