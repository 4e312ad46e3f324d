import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RuntimeOptions } from '@longhaul/core';
import type { JsonObject, ToolOutputContent } from '@longhaul/protocol';
import {
  answer,
  calls,
  type PlayedDriver,
  type PlayedStep,
  playedDriver,
  type TestRun,
  testRun,
} from '@longhaul/testing/doubles';
import { ServerPool, type ServerPoolOptions, type ServerSettings } from '../src/index.ts';

const require = createRequire(import.meta.url);

/** Settings that start one of the protocol's own example servers. */
export function exampleServer(name: string, ...args: string[]): ServerSettings {
  const folder = dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`));
  return { command: process.execPath, args: [join(folder, 'dist/index.js'), ...args] };
}

/** Settings that start a server that misbehaves in one way. See hostile-server.ts. */
export function hostileServer(way: string, ...args: string[]): ServerSettings {
  const program = fileURLToPath(new URL('hostile-server.ts', import.meta.url));
  return { command: process.execPath, args: [program, way, ...args] };
}

export interface ServedRun extends AsyncDisposable {
  pool: ServerPool;
  driver: PlayedDriver;
  run: TestRun;
  /** The pauses before a server was started again. */
  pauses: number[];
}

/** Opens a session with servers, and a model that plays these steps. */
export async function openRun(
  servers: Record<string, ServerSettings>,
  steps: readonly PlayedStep[],
  { pool: more = {}, ...options }: Partial<RuntimeOptions> & { pool?: Partial<ServerPoolOptions> } = {},
): Promise<ServedRun> {
  const pauses: number[] = [];
  const pool = new ServerPool({
    servers: () => servers,
    host: process.env,
    version: '0.0.0',
    maxOutputChars: 20_000,
    deferOver: 1,
    wait: async (ms) => void pauses.push(ms),
    // Most example servers run on after their input was closed.
    graceMs: 10,
    ...more,
  });
  const driver = playedDriver(steps);
  const run = await testRun(driver, [], { toolConnector: pool, ...options });
  return { pool, driver, run, pauses, [Symbol.asyncDispose]: () => run.runtime.stop() };
}

/** A step that calls one tool, and one that answers. */
export function callOnce(name: string, input: JsonObject = {}): PlayedStep[] {
  return [calls({ name, input }), answer('Done.')];
}

/** The text of the results of a run, in order. */
export function resultsOf({ run }: Pick<ServedRun, 'run'>): string[] {
  return run.of('llm:tool-result').map(({ sanitized }) => textOf(sanitized));
}

function textOf(content: readonly ToolOutputContent[]): string {
  return content
    .map((part) => (part.type === 'text' ? part.text : `<${part.type} ${part.mediaType}>`))
    .join('\n');
}
