import type { Sandbox } from '@longhaul/core';
import { DEMO_VERIFY_COMMAND } from '@longhaul/scripted-model/demo';

export interface BuiltFile {
  path: string;
  /** Bytes. */
  size: number;
}

export interface Inspection {
  files: BuiltFile[];
  command: string;
  /** Tests that passed. */
  passed: number;
  verified: boolean;
  /** The end of the tests' output. */
  output: string;
}

const TIMEOUT_MS = 300_000;
const MAX_OUTPUT_CHARS = 4_000;

/** Runs the application's own tests in its folder, and lists its files. */
export async function inspectApplication(sandbox: Sandbox, signal: AbortSignal): Promise<Inspection> {
  const files = await listFiles(sandbox, '');
  const decoder = new TextDecoder();
  let output = '';
  const { exitCode } = await sandbox.exec(DEMO_VERIFY_COMMAND, {
    timeoutMs: TIMEOUT_MS,
    signal,
    onOutput: (chunk) => {
      output = (output + decoder.decode(chunk, { stream: true })).slice(-MAX_OUTPUT_CHARS);
    },
  });
  const passed = Number(/^(?:#|ℹ) pass (\d+)/m.exec(output)?.[1] ?? 0);
  return { files, command: DEMO_VERIFY_COMMAND, passed, verified: exitCode === 0 && passed > 0, output };
}

async function listFiles(sandbox: Sandbox, folder: string): Promise<BuiltFile[]> {
  const found: BuiltFile[] = [];
  for (const entry of await sandbox.files.list(folder)) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.kind === 'directory') found.push(...(await listFiles(sandbox, path)));
    else if (entry.kind === 'file') found.push({ path, size: entry.size ?? 0 });
  }
  return found.sort((left, right) => left.path.localeCompare(right.path));
}
