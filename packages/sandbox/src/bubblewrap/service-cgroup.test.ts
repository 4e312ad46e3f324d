import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { divideServiceCgroup, sandboxesCgroup } from './service-cgroup.ts';

const base = await mkdtemp(join(tmpdir(), 'longhaul-cgroup-'));
const service = join(base, 'system.slice/longhaul.service');
const own = '0::/system.slice/longhaul.service\n';

afterEach(() => rm(base, { recursive: true, force: true }));

/** Imitates the files of a service's cgroup. The kernel would create those of its children. */
async function imitate({ members = '42\n', controllers = 'cpuset cpu io memory pids\n', max = 'max\n' }) {
  await mkdir(service, { recursive: true });
  await writeFile(join(service, 'cgroup.procs'), members);
  await writeFile(join(service, 'cgroup.controllers'), controllers);
  await writeFile(join(service, 'cgroup.subtree_control'), '');
  await writeFile(join(service, 'memory.max'), max);
}

const divide = (text = own) => divideServiceCgroup({ base, own: text, pids: [42, 41], reservedBytes: 1_000 });

it('moves the server into a cgroup of its own, and limits all sandboxes together', async () => {
  await imitate({ max: '5000\n' });
  expect(await divide()).toBe(true);
  const read = (file: string) => readFile(join(service, file), 'utf8');
  expect(await read('longhaul-server/cgroup.procs')).toBe('42');
  expect(await read('cgroup.subtree_control')).toBe('+cpu +memory +pids');
  expect(await read('longhaul-sandboxes/cgroup.subtree_control')).toBe('+cpu +memory +pids');
  expect(await read('longhaul-sandboxes/memory.max')).toBe('4000');
  const moved = '0::/system.slice/longhaul.service/longhaul-server\n';
  expect(await sandboxesCgroup({ base, own: moved })).toBe(join(service, 'longhaul-sandboxes'));
  expect(await sandboxesCgroup({ base, own })).toBeUndefined();
});

it('sets no limit for all sandboxes if the service has none', async () => {
  await imitate({});
  expect(await divide()).toBe(true);
  expect(await readdir(join(service, 'longhaul-sandboxes'))).toEqual(['cgroup.subtree_control']);
});

it('changes nothing where other processes are, a controller is missing, or there is no service', async () => {
  await imitate({ members: '42\n43\n' });
  expect(await divide()).toBe(false);
  await imitate({ controllers: 'memory pids\n' });
  expect(await divide()).toBe(false);
  await imitate({});
  expect(await divide('0::/user.slice/session-1.scope\n')).toBe(false);
  expect(await divide('9:memory:/a.service\n')).toBe(false);
  expect(await divide('0::/elsewhere.service\n')).toBe(false);
  expect((await readdir(service)).filter((name) => name.startsWith('longhaul'))).toEqual([]);
});
