import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sandbox, SandboxKind, SandboxOptions } from '@longhaul/core';
import { readProc } from '@longhaul/core/host-processes';
import type { SandboxHarness } from '@longhaul/testing/contracts';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { isRequired } from '@longhaul/testing/machine';
import Docker from 'dockerode';
import { describe, it } from 'vitest';
import { createSandboxDriver } from '../src/index.ts';
import { ownerName } from '../src/process-identity.ts';

const IMAGE = process.env['LONGHAUL_TEST_IMAGE'] ?? 'longhaul-test:latest';

/** Returns why a kind of sandbox cannot be tested on this machine, or undefined. */
export async function whyNot(kind: SandboxKind): Promise<string | undefined> {
  const probe = await createSandboxDriver(kind).probe();
  if (!probe.available) return `${probe.reason} ${probe.remedy}`;
  if (kind !== 'docker') return undefined;
  return new Docker()
    .getImage(IMAGE)
    .inspect()
    .then(
      () => undefined,
      () => `the image ${IMAGE} does not exist; run scripts/test-docker.sh`,
    );
}

/**
 * Defines tests of a kind of sandbox. If the kind is missing, they are skipped with the reason, or fail if
 * LONGHAUL_REQUIRE names it.
 */
export async function describeKind(kind: SandboxKind, define: () => void): Promise<void> {
  const reason = await whyNot(kind);
  if (reason === undefined) return define();
  describe(`${kind} sandbox`, () => {
    if (!isRequired(kind)) return it.skip(`is not tested: ${reason}`, () => undefined);
    it('is required here', () => {
      throw new Error(`LONGHAUL_REQUIRE names ${kind}, but: ${reason}`);
    });
  });
}

export const skip = (name: string) => it.skip(name, () => undefined);

export async function containersOf(sessionId: string): Promise<string[]> {
  const filters = { label: [`longhaul.session=${sessionId}`] };
  return (await new Docker().listContainers({ all: true, filters })).map(({ Id }) => Id);
}

/** Returns the folders and cgroups of this process's sandboxes. */
export function ownTraces(): string[] {
  const places = [
    tmpdir(),
    '/sys/fs/cgroup',
    '/sys/fs/cgroup/pids',
    '/sys/fs/cgroup/memory',
    '/sys/fs/cgroup/cpu',
  ];
  return places
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place).filter((name) => name.includes(ownerName())));
}

export function harness(kind: SandboxKind): SandboxHarness {
  return {
    driver: createSandboxDriver(kind),
    image: IMAGE,
    leftovers: async (sessionId) => (kind === 'docker' ? containersOf(sessionId) : ownTraces()),
    notIsolated: kind === 'local' ? 'local isolates nothing' : undefined,
    hasOtherFolders: kind === 'local',
    leavesProcesses: kind === 'local',
  };
}

export interface TestFolders extends AsyncDisposable {
  workspace: string;
  options(changes?: Partial<SandboxOptions>): SandboxOptions;
}

export async function makeWorkspace(): Promise<TestFolders> {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-test-')));
  return {
    workspace,
    options: (changes = {}) => ({
      sessionId: randomUUID(),
      workspace,
      network: 'off',
      memoryMb: 512,
      pids: 128,
      cpus: 1,
      env: {},
      image: IMAGE,
      programFolders: [],
      ...changes,
    }),
    [Symbol.asyncDispose]: () => rm(workspace, { recursive: true }),
  };
}

/** Runs a command and returns what it prints on both outputs, and its exit code. */
export async function run(sandbox: Sandbox, command: string): Promise<{ output: string; exitCode?: number }> {
  let output = '';
  const { exitCode } = await sandbox.exec(command, {
    timeoutMs: 100_000,
    onOutput: (chunk) => {
      output += Buffer.from(chunk).toString();
    },
  });
  return { output, exitCode };
}

/**
 * Returns a number of seconds for `sleep` that no other test uses, in this checkout or another, so that the process can
 * be found in the list of processes.
 */
export function uniqueSeconds(): string {
  return `${30_000 + Math.floor(Math.random() * 10_000)}.${Math.floor(Math.random() * 1e9)}`;
}

/**
 * Opens a sandbox in another process, waits for the first output of its commands (unless `prints` is false) and for
 * `until`, and kills the process. Only `until` can check what the process leaves: after the kill, any sandbox that
 * opens on this machine removes it.
 */
export async function crashWith(
  kind: SandboxKind,
  options: SandboxOptions,
  command: string | readonly string[],
  {
    env = {},
    until = async () => {},
    prints = true,
  }: { env?: Record<string, string>; until?: () => Promise<unknown>; prints?: boolean } = {},
): Promise<void> {
  const script = fileURLToPath(new URL('open-and-wait.ts', import.meta.url));
  const args = [
    ...FROM_SOURCE,
    script,
    kind,
    options.image,
    options.workspace,
    options.sessionId,
    ...[command].flat(),
  ];
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, args, { stdio, env: { ...process.env, ...env } });
  if (prints) await once(child.stdout, 'data');
  await until();
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Counts the processes of this machine, including those in containers, that have the text in their arguments. */
export function countProcesses(text: string): number {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && readProc(`${pid}/cmdline`)?.includes(text))
    .length;
}

/** Runs `work` with environment variables of this process changed. */
export async function withEnvironment(
  changes: Record<string, string>,
  work: () => Promise<void>,
): Promise<void> {
  const before = { ...process.env };
  Object.assign(process.env, changes);
  try {
    await work();
  } finally {
    for (const name of Object.keys(changes)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}
