import type { SandboxKind } from '@longhaul/core';

/** Best first: bubblewrap starts at once, docker may first have to fetch an image. */
const PREFERRED: readonly SandboxKind[] = ['bubblewrap', 'docker'];

/** The sandbox of the demonstration: the first that works here, else none at all, which is safe enough in a new temporary folder. */
export async function pickSandbox(asked: 'auto' | SandboxKind): Promise<SandboxKind> {
  if (asked !== 'auto') return asked;
  const { createSandboxDriver } = await import('@longhaul/sandbox');
  for (const kind of PREFERRED) {
    const probe = await createSandboxDriver(kind).probe();
    if (probe.available) return kind;
  }
  return 'local';
}
