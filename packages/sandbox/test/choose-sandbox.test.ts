import { lacks } from '@longhaul/testing/machine';
import { expect, it } from 'vitest';
import { chooseSandbox, createSandboxDriver } from '../src/index.ts';
import { makeWorkspace, whyNot, withEnvironment } from './support.ts';

const NO_DOCKER = { DOCKER_HOST: 'unix:///absent/docker.sock' };

it('chooses docker if the engine answers and the image is local', async ({ skip }) => {
  const reason = await whyNot('docker');
  if (reason !== undefined) return lacks('docker', reason, skip);
  await using folders = await makeWorkspace();
  await using sandbox = await chooseSandbox('auto', folders.options());
  expect(sandbox.kind).toBe('docker');
});

it('chooses bubblewrap if no engine answers, and reports why', async ({ skip }) => {
  const reason = await whyNot('bubblewrap');
  if (reason !== undefined) return lacks('bubblewrap', reason, skip);
  await using folders = await makeWorkspace();
  await withEnvironment(NO_DOCKER, async () => {
    const passedOver: string[] = [];
    const onPassedOver = (kind: string, reason: string) => passedOver.push(`${kind}: ${reason}`);
    await using sandbox = await chooseSandbox('auto', folders.options(), { onPassedOver });
    expect(sandbox.kind).toBe('bubblewrap');
    expect(passedOver).toEqual([expect.stringMatching(/^docker: .*Install and start Docker/)]);
  });
});

it('never falls back to local: the error says what to install and how to choose local', async () => {
  await using folders = await makeWorkspace();
  await withEnvironment({ ...NO_DOCKER, PATH: '/absent' }, async () => {
    await expect(chooseSandbox('auto', folders.options())).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      message: expect.stringMatching(/Docker.*bubblewrap.*`sandbox\.driver: local`/s),
    });
  });
});

it('opens exactly the requested kind', async () => {
  await using folders = await makeWorkspace();
  await using sandbox = await chooseSandbox('local', folders.options());
  expect(sandbox.kind).toBe('local');
  await withEnvironment(NO_DOCKER, async () => {
    await expect(chooseSandbox('docker', folders.options())).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    });
    expect(await createSandboxDriver('docker').probe()).toMatchObject({ available: false });
  });
});

it('throws cancelled if it was cancelled before it began', async () => {
  await using folders = await makeWorkspace();
  const options = folders.options({ signal: AbortSignal.abort() });
  await expect(chooseSandbox('auto', options)).rejects.toMatchObject({ code: 'cancelled' });
});
