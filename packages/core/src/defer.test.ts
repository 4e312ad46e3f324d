import { describe, expect, expectTypeOf, it } from 'vitest';
import { defer } from './defer.ts';

describe('defer', () => {
  it('runs clean-ups in reverse order at the end of a block, also after a throw', () => {
    const order: string[] = [];
    const work = () => {
      using _first = defer(() => void order.push('first'));
      using _second = defer(() => void order.push('second'));
      order.push('work');
      throw new Error('failed');
    };
    expect(work).toThrow('failed');
    expect(order).toEqual(['work', 'second', 'first']);
  });

  it('waits for an asynchronous clean-up with `await using`, and passes its failure on', async () => {
    const order: string[] = [];
    {
      await using _slow = defer(async () => {
        await Promise.resolve();
        order.push('clean');
      });
      await using _plain = defer(() => void order.push('plain'));
    }
    order.push('after');
    expect(order).toEqual(['plain', 'clean', 'after']);
    const failing = defer(() => Promise.reject(new Error('disk full')));
    await expect(failing[Symbol.asyncDispose]()).rejects.toThrow('disk full');
  });

  it('starts an asynchronous clean-up under `using` and throws, with no unhandled rejection', async () => {
    let isDone = false;
    const slow = async () => {
      await Promise.resolve();
      isDone = true;
      throw new Error('late');
    };
    expect(() => dispose(defer(slow))).toThrow(
      expect.objectContaining({ code: 'internal', message: expect.stringContaining('await using') }),
    );
    await expect.poll(() => isDone).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('allows `using` by type only for a synchronous clean-up', () => {
    expectTypeOf(defer(() => undefined)).toExtend<Disposable>();
    expectTypeOf(defer(async () => undefined)).not.toExtend<Disposable>();
  });
});

/** What `using` does where types do not prevent it. */
function dispose(value: AsyncDisposable): void {
  (value as unknown as Disposable)[Symbol.dispose]();
}
