import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecOptions, ExecResult, Sandbox, SandboxDriver, SandboxOptions } from '@longhaul/core';
import { type ErrorCode, LonghaulError } from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';

export interface SandboxContractRunner extends ContractRunner {
  /** Reports a test that cannot run here, with the reason in its name. */
  skip(name: string): void;
}

export interface SandboxHarness {
  driver: SandboxDriver;
  /** Image for drivers that need one. */
  image: string;
  /** Why this driver does not isolate. Skips the tests of isolation, with this reason. */
  notIsolated?: string;
  /** Tools may use files and folders outside the workspace. Default false. */
  hasOtherFolders?: boolean;
  /** Processes that a command leaves running live until the sandbox is disposed. Default: until the command ends. */
  leavesProcesses?: boolean;
  /**
   * Returns what the driver created outside the workspace for a session and has not removed: containers, folders,
   * cgroups.
   */
  leftovers(sessionId: string): Promise<string[]>;
}

export interface TestSandbox extends AsyncDisposable {
  sandbox: Sandbox;
  sessionId: string;
  /** The workspace on this machine. */
  workspace: string;
  /** A folder beside the workspace, which no command may reach. */
  outside: string;
  run(command: string, options?: Partial<ExecOptions>): Promise<RunOutcome>;
}

export interface RunOutcome extends ExecResult {
  stdout: string;
  stderr: string;
  bytes: Buffer;
}

export async function openTestSandbox(
  { driver, image }: SandboxHarness,
  options: Partial<SandboxOptions> = {},
): Promise<TestSandbox> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-contract-')));
  const workspace = await mkdtemp(join(folder, 'workspace-'));
  const outside = await mkdtemp(join(folder, 'outside-'));
  const sessionId = randomUUID();
  const opening = driver.open({
    sessionId,
    workspace,
    network: 'off',
    memoryMb: 1_024,
    pids: 256,
    cpus: 2,
    env: {},
    image,
    programFolders: [],
    ...options,
  });
  const sandbox = await opening.catch(async (error: unknown) => {
    await rm(folder, { recursive: true });
    throw error;
  });
  return {
    sandbox,
    sessionId,
    workspace,
    outside,
    run: (command, execOptions) => runIn(sandbox, command, execOptions),
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

export async function runIn(
  sandbox: Sandbox,
  command: string,
  options: Partial<ExecOptions> = {},
): Promise<RunOutcome> {
  const parts: Record<'stdout' | 'stderr', Uint8Array[]> = { stdout: [], stderr: [] };
  const result = await sandbox.exec(command, {
    timeoutMs: 100_000,
    onOutput: (chunk, stream) => {
      parts[stream].push(chunk);
    },
    ...options,
  });
  const bytes = Buffer.concat(parts.stdout);
  return { ...result, stdout: bytes.toString(), stderr: Buffer.concat(parts.stderr).toString(), bytes };
}

/** Returns a unique number of seconds, so that a `sleep` with it can be found in the list of processes. */
export function uniqueSeconds(): string {
  return `${40_000 + Math.floor(Math.random() * 40_000)}.${Math.floor(Math.random() * 1e9)}`;
}

/** Counts the processes of this machine, including those in containers, that have the text in their arguments. */
export function countProcesses(text: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  return pids.filter((pid) => argumentsOf(pid).includes(text)).length;
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Waits until the condition is true. Fails after a minute. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 6_000; attempt += 1) {
    if (await condition()) return;
    await sleep(10);
  }
  assert.fail('The condition did not become true within a minute.');
}

export async function refusedWith(promise: Promise<unknown>, code: ErrorCode): Promise<LonghaulError> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof LonghaulError, `expected a LonghaulError, not ${String(error)}`);
    assert.equal(error.code, code, error.message);
    return error;
  }
  return assert.fail(`expected ${code}, but it succeeded`);
}
