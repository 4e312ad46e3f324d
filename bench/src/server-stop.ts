import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createScriptedModelServer } from '@longhaul/scripted-model';
import type { BenchResult } from './bench-result.ts';
import { firstLine } from './server/serving.ts';

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/longhaul.js', import.meta.url));
const GRACES_MS = [1_000, 20_000];

/**
 * Measures how long a server needs to stop beyond its grace time, while a command runs that does not end: with and without
 * a collector of telemetry that accepts connections and never answers.
 */
export async function benchServerStop(): Promise<BenchResult> {
  const collector = createServer(() => {});
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  const rows = [];
  try {
    for (const graceMs of GRACES_MS)
      for (const otlp of [undefined, `http://127.0.0.1:${port}`])
        rows.push({
          label: `grace ${graceMs / 1_000} s, ${otlp === undefined ? 'no collector' : 'dead collector'}`,
          values: { 'ms after the grace time': Math.round((await stopMs(graceMs, otlp)) - graceMs) },
        });
  } finally {
    collector.closeAllConnections();
    collector.close();
  }
  const most = Math.max(...rows.map(({ values }) => values['ms after the grace time']));
  return { name: 'server-stop', rows, summary: { mostMs: most } };
}

/** Time from the signal until the process has ended. */
async function stopMs(stopGraceMs: number, otlp: string | undefined): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-stop-'));
  await using model = await createScriptedModelServer({
    script: () => ({ toolCalls: [{ name: 'bash', arguments: { command: 'touch begun; sleep 300' } }] }),
  });
  await writeFile(
    join(folder, 'longhaul.yml'),
    JSON.stringify({
      model: 'scripted/scripted',
      providers: { scripted: { kind: 'openai-compatible', baseUrl: model.url } },
      approvals: [{ tool: '*', action: 'allow' }],
      sandbox: { driver: 'local' },
      storage: { url: `sqlite:${folder}/bench.db` },
      server: { stopGraceMs },
      ...(otlp !== undefined && { telemetry: { otlp } }),
    }),
  );
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const server = spawn(
    process.execPath,
    [...process.execArgv, COMMAND, 'serve', '--trust', '--port', '0', '--json', '--log-level', 'silent'],
    { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const { url, tokenFile }: { url: string; tokenFile: string } = JSON.parse(await firstLine(server));
    const headers = {
      authorization: `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}`,
      'content-type': 'application/json',
    };
    const post = async (path: string, body: string): Promise<{ id: string }> =>
      JSON.parse(await (await fetch(url + path, { method: 'POST', headers, body })).text());
    const { id } = await post('/api/sessions', '{}');
    await post(`/api/sessions/${id}/messages`, '{"content":"Go"}');
    while (!existsSync(join(folder, 'begun'))) await sleep(20);
    const ended = once(server, 'exit');
    const startedAt = performance.now();
    server.kill('SIGTERM');
    await ended;
    return performance.now() - startedAt;
  } finally {
    server.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}
