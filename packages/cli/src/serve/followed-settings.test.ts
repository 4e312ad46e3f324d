import { expect, it } from 'vitest';
import { followSettings } from './followed-settings.ts';

it('reads the settings one after the other, and combines changes during a read into one more read', async () => {
  let change = () => {};
  const reads: PromiseWithResolvers<void>[] = [];
  const waiting: (() => void)[] = [];
  const begun = (count: number) =>
    new Promise<void>((resolve) => (reads.length >= count ? resolve() : waiting.push(resolve)));
  const failures: unknown[] = [];
  const followed = followSettings(
    {
      watch(listener) {
        change = listener;
        return { [Symbol.dispose]() {} };
      },
    },
    {
      reloadIfChanged() {
        const read = Promise.withResolvers<void>();
        reads.push(read);
        for (const resolve of waiting.splice(0)) resolve();
        return read.promise;
      },
    },
    (error) => failures.push(error),
  );
  change();
  await begun(1);
  for (let count = 0; count < 5; count += 1) change();
  reads[0]?.reject(new Error('slow'));
  await begun(2);
  expect(failures).toHaveLength(1);
  followed[Symbol.dispose]();
  reads[1]?.reject(new Error('closed'));
  await reads[1]?.promise.catch(() => undefined);
  expect(reads).toHaveLength(2);
  expect(failures).toHaveLength(1);
});
