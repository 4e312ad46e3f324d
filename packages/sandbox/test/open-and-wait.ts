/*
 * A program that opens a sandbox and runs commands in it, usually until it is killed. MEMORY_MB sets the limit, KEEP keeps processes. Arguments: kind, image,
 * workspace, session, commands.
 */
import type { SandboxKind } from '@longhaul/core';
import { createSandboxDriver } from '../src/index.ts';

const [kind, image, workspace, sessionId, ...commands] = process.argv.slice(2);
const sandbox = await createSandboxDriver(kind as SandboxKind).open({
  sessionId: sessionId ?? '',
  workspace: workspace ?? '',
  network: 'off',
  memoryMb: Number(process.env['MEMORY_MB'] ?? 512),
  pids: 64,
  cpus: 1,
  env: {},
  image: image ?? '',
  programFolders: [],
  keepProcesses: process.env['KEEP'] !== undefined,
});
for (const command of commands) {
  await sandbox.exec(command, {
    timeoutMs: 600_000,
    onOutput: (chunk) => void process.stdout.write(chunk),
  });
}
await sandbox[Symbol.asyncDispose]();
