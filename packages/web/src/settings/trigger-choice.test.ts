import { describe, expect, it } from 'vitest';
import { triggerKind, triggerOf, triggerPercent } from './trigger-choice.ts';

describe('triggers', () => {
  it.each([null, 'overflow', 'manual', { threshold: 0.55 }, { threshold: 1 }] as const)(
    'keeps %j',
    (trigger) => {
      expect(triggerOf(triggerKind(trigger), triggerPercent(trigger) ?? 80)).toEqual(trigger);
    },
  );

  it('shows a percent only for a part of the window', () => {
    expect(triggerPercent('overflow')).toBeUndefined();
    expect(triggerPercent({ threshold: 0.8 })).toBe(80);
  });
});
