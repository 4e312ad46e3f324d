import type { Config } from '@longhaul/config';
import type { SandboxKind, SandboxProbe } from '@longhaul/core';
import type { Check } from './check.ts';

/** Tries each kind of sandbox, and checks that the configured one works. */
export async function checkSandboxes(config: Config['sandbox']): Promise<Check[]> {
  const { createSandboxDriver } = await import('@longhaul/sandbox');
  const kinds: SandboxKind[] = ['docker', 'bubblewrap'];
  const probes = await Promise.all(
    kinds.map((kind) => createSandboxDriver(kind).probe({ image: config.image })),
  );
  const checks = probes.map((probe, index) => describe(kinds[index] ?? 'docker', probe));
  return [...checks, choice(config, probes)];
}

function describe(name: SandboxKind, probe: SandboxProbe): Check {
  if (probe.available) {
    const gaps = probe.gaps.map((gap) => `. Not enforced here: ${gap}`).join('');
    return { name, status: 'ok', detail: probe.detail + gaps };
  }
  return { name, status: 'missing', detail: probe.reason, remedy: probe.remedy };
}

function choice(
  { driver, network }: Config['sandbox'],
  [docker, bubblewrap]: readonly (SandboxProbe | undefined)[],
): Check {
  const name = 'sandbox';
  const works = {
    docker: docker?.available === true,
    bubblewrap: bubblewrap?.available === true,
    local: true,
  };
  const isUsable = driver === 'auto' ? works.docker || works.bubblewrap : works[driver];
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
