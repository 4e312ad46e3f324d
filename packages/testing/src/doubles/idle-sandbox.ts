import { createNoSandbox, type Sandbox } from '@longhaul/core';

export interface IdleSandboxOptions {
  /** Default: `/workspace`. */
  workspacePath?: string;
  onClose?: () => void;
}

/** Creates a sandbox for runs whose tools need none, and reports its end. */
export function createIdleSandbox({ onClose, ...options }: IdleSandboxOptions = {}): Sandbox {
  return { ...createNoSandbox(options), [Symbol.asyncDispose]: async () => onClose?.() };
}
