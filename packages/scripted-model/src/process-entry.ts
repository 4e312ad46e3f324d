/**
 * The process that `startScriptedModelProcess` starts. Its argument is the options as JSON. It prints one JSON line
 * when it listens, and one for each line `stats` on its standard input. It exits when its standard input closes,
 * because the parent closed it or has exited.
 */
import { createInterface } from 'node:readline';
import type { Script } from './script.ts';
import { createScriptedModelServer, type ScriptedModelServerOptions } from './server.ts';

type EntryOptions = Omit<ScriptedModelServerOptions, 'script'> & { scriptModule: string };

// Signals to the process group, such as Ctrl-C in a terminal, reach this process too. They are ignored, because only
// the parent knows when the last request is answered.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

// The argument comes from this package, so it needs no validation.
const { scriptModule, ...options }: EntryOptions = JSON.parse(process.argv[2] ?? '{}');
const server = await createScriptedModelServer({
  ...options,
  script: await loadScript(scriptModule),
  keepBodies: false,
});
print({ url: server.url, port: server.port, pid: process.pid, model: server.model });

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'stats') print(server.stats());
}
await server.close();

async function loadScript(url: string): Promise<Script> {
  const module: { script?: Script } = await import(url);
  if (typeof module.script !== 'function') throw new Error(`${url} exports no function named "script".`);
  return module.script;
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
