import { DEFAULT_CONFIG } from '@longhaul/config';
import type { SandboxKind } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { openSandbox } from '../compose/open-sandbox.ts';

export interface PickSandboxOptions {
  workspace: string;
  signal: AbortSignal;
}

/** Best first: bubblewrap starts at once, docker may first have to fetch an image. */
const PREFERRED: readonly SandboxKind[] = ['bubblewrap', 'docker'];

/**
 * The sandbox of the demonstration: the first that opens here, else none at all, which is safe enough in a new temporary folder. That an
 * engine answers is not enough: it may have no image, and no way to fetch one.
 */
export async function pickSandbox(
  asked: 'auto' | SandboxKind,
  { workspace, signal }: PickSandboxOptions,
): Promise<SandboxKind> {
  if (asked !== 'auto') return asked;
  for (const kind of PREFERRED) {
    if (await opens(kind, { workspace, signal })) return kind;
  }
  return 'local';
}

async function opens(kind: SandboxKind, { workspace, signal }: PickSandboxOptions): Promise<boolean> {
  const config = { ...DEFAULT_CONFIG, sandbox: { ...DEFAULT_CONFIG.sandbox, driver: kind } };
  try {
    await using _sandbox = await openSandbox(config, { session: { id: 'demo', workspace }, signal, env: {} });
    return true;
  } catch (error) {
    if (error instanceof LonghaulError && error.code === 'sandbox_unavailable') return false;
    throw error;
  }
}
