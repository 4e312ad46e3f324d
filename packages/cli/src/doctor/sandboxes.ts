import type { Config } from '@longhaul/config';
import type { SandboxKind, SandboxProbe } from '@longhaul/core';
import type { Check } from './check.ts';

/** Tries each kind of sandbox, and checks that the configured one works. */
export async function checkSandboxes(config: Config['sandbox']): Promise<Check[]> {
  const { AUTOMATIC_KINDS: kinds, createSandboxDriver } = await import('@longhaul/sandbox');
  const probes = await Promise.all(
    kinds.map((kind) => createSandboxDriver(kind).probe({ image: config.image })),
  );
  const checks = probes.map((probe, index) => describe(kinds[index] ?? 'docker', probe));
  const usable = kinds.filter((_, index) => probes[index]?.available === true);
  return [...checks, choice(config, usable)];
}

function describe(name: SandboxKind, probe: SandboxProbe): Check {
  if (probe.available) {
    const gaps = probe.gaps.map((gap) => `. Not enforced here: ${gap}`).join('');
    return { name, status: 'ok', detail: probe.detail + gaps };
  }
  return { name, status: 'missing', detail: probe.reason, remedy: probe.remedy };
}

function choice({ driver, network }: Config['sandbox'], usable: readonly SandboxKind[]): Check {
  const name = 'sandbox';
  const isUsable = driver === 'auto' ? usable.length > 0 : driver === 'local' || usable.includes(driver);
  if (!isUsable) {
    return {
      name,
      status: 'failed',
      detail: driver === 'auto' ? 'no sandbox works here' : `${driver} is configured and does not work here`,
      remedy: 'Install bubblewrap or start Docker. Without any isolation: --sandbox local.',
    };
  }
  if (driver === 'local') {
    return { name, status: 'ok', detail: 'local: commands run with no isolation, as configured' };
  }
  return { name, status: 'ok', detail: `${driver}, network ${network}` };
}
