import { DEFAULT_CONFIG } from '@longhaul/config';
import type { SandboxKind } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { openSandbox } from '../compose/open-sandbox.ts';

export interface PickSandboxOptions {
  workspace: string;
  signal: AbortSignal;
}

/**
 * Returns the sandbox of the demonstration: the first that opens here, else none, which is acceptable in a new
 * temporary folder. It is opened, because an engine that answers may have no image and no way to pull one.
 */
export async function pickSandbox(
  asked: 'auto' | SandboxKind,
  { workspace, signal }: PickSandboxOptions,
): Promise<SandboxKind> {
  if (asked !== 'auto') return asked;
  const { AUTOMATIC_KINDS } = await import('@longhaul/sandbox');
  // The sandbox of the system starts at once. Docker may have to pull an image first.
  for (const kind of AUTOMATIC_KINDS.toReversed()) {
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
