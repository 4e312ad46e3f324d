import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { SandboxKind } from '@longhaul/core';
import type { SandboxHarness } from '@longhaul/core/testing';
import Docker from 'dockerode';
import { describe, it } from 'vitest';
import { createSandboxDriver } from '../src/index.ts';
import { ownerName } from '../src/process-identity.ts';

export const IMAGE = process.env['LONGHAUL_TEST_IMAGE'] ?? 'longhaul-test:latest';

/** Why a kind of sandbox cannot be tested here, or undefined. */
export async function whyNot(kind: SandboxKind): Promise<string | undefined> {
  const probe = await createSandboxDriver(kind).probe();
  if (!probe.available) return `${probe.reason} ${probe.remedy}`;
  if (kind !== 'docker') return undefined;
  return new Docker()
    .getImage(IMAGE)
    .inspect()
    .then(
      () => undefined,
      () => `the image ${IMAGE} is not there; run scripts/test-docker.sh`,
    );
}

/** Tests of a kind of sandbox: skipped with the reason where it is missing, failed where LONGHAUL_REQUIRE names it. */
export async function describeKind(kind: SandboxKind, define: () => void): Promise<void> {
  const reason = await whyNot(kind);
  if (reason === undefined) return define();
  const required = (process.env['LONGHAUL_REQUIRE'] ?? '').split(',').includes(kind);
  describe(`${kind} sandbox`, () => {
    if (!required) return it.skip(`is not tested: ${reason}`, () => undefined);
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

/** Folders and cgroups of sandboxes of this process. */
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
    ...(kind === 'local' ? { notIsolated: 'local isolates nothing' } : {}),
  };
}
