/**
 * The process behind `startScriptedModelProcess`. Its one argument is the options as JSON. It prints one JSON line when it listens and one for
 * each line `stats` on its standard input; when that closes, because its parent wants so or is gone, it ends.
 */
import { createInterface } from 'node:readline';
import type { Script } from './script.ts';
import { createScriptedModelServer, type ScriptedModelServerOptions } from './server.ts';

type EntryOptions = Omit<ScriptedModelServerOptions, 'script'> & { scriptModule: string };

// A terminal's Ctrl-C and its end reach this process too, and so does what ends a group, but only its parent knows what is still to be answered.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

// The parent is this package's own code: what it passes needs no second look.
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
