import { LonghaulError } from '@longhaul/protocol';
import { answer, createIdleSandbox, playedDriver, testRun } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';

it('ends a run as cancelled, not failed, when it is cancelled while its sandbox opens', async () => {
  const test = await testRun(playedDriver([]), [], {
    openSandbox: async () => {
      throw new LonghaulError('cancelled', 'Cancelled before the sandbox was opened.');
    },
  });
  await expect(test.run('do it')).rejects.toMatchObject({ code: 'cancelled' });
  expect(test.of('run:finished')).toMatchObject([{ status: 'cancelled' }]);
  expect(test.of('session:status').at(-1)).toMatchObject({ status: 'idle' });
  expect(await test.store.getSession(test.sessionId)).toMatchObject({ status: 'cancelled' });
});

it('emits one run:finished when the sandbox cannot be closed', async () => {
  const test = await testRun(playedDriver([answer('Done.')]), [], {
    openSandbox: async () =>
      createIdleSandbox({
        onClose() {
          throw new LonghaulError('sandbox_failed', 'The container does not go away.');
        },
      }),
  });
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  expect(await test.run('do it')).toMatchObject({ status: 'completed', text: 'Done.' });
  expect(test.of('run:finished')).toMatchObject([{ status: 'completed' }]);
  expect((await warned).message).toContain('The container does not go away.');
});
