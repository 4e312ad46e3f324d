import { createMemoryStore } from '@longhaul/storage/memory';
import { expect, it } from 'vitest';
import type { Lease } from '../../ports/index.ts';
import { RunRegistry } from './run-registry.ts';

const leaseOf = (name: string): Lease => ({ sessionId: name, runId: `run-${name}`, epoch: 1 });

it('asks for the cancels of all runs at once, and again for changes that it hears of while it asks', async () => {
  let changed = () => {};
  const asked: string[] = [];
  const answers: ((isRequested: boolean) => void)[] = [];
  const registry = new RunRegistry({
    ...createMemoryStore(),
    watch: (listener) => {
      changed = listener;
      return { [Symbol.dispose]: () => undefined };
    },
    hasCancelRequest: (runId) => {
      asked.push(runId);
      return new Promise((resolve) => answers.push(resolve));
    },
  });
  const answerAll = async (isRequested: boolean) => {
    for (const answer of answers.splice(0)) answer(isRequested);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const [first, second] = [registry.begin(leaseOf('a')), registry.begin(leaseOf('b'))];
  await answerAll(false);
  asked.length = 0;
  changed();
  expect(asked).toEqual(['run-a', 'run-b']);
  for (let change = 0; change < 5; change += 1) changed();
  expect(asked).toHaveLength(2);
  await answerAll(false);
  expect(asked.slice(2)).toEqual(['run-a', 'run-b']);
  await answerAll(true);
  expect([first.signal.aborted, second.signal.aborted]).toEqual([true, true]);
  changed();
  expect(asked).toHaveLength(6);
});
