import { expect, it } from 'vitest';
import { Coalesced } from './coalesced.ts';

it('runs again for requests during a task, also if the task fails', async () => {
  const errors: unknown[] = [];
  const ran = Promise.withResolvers<void>();
  let runs = 0;
  const coalesced = new Coalesced(
    async () => {
      runs += 1;
      if (runs === 2) return ran.resolve();
      coalesced.request();
      coalesced.request();
      throw new Error('the first time');
    },
    (error) => void errors.push(error),
  );
  coalesced.request();
  await ran.promise;
  expect(errors).toEqual([new Error('the first time')]);
  expect(runs).toBe(2);
});
