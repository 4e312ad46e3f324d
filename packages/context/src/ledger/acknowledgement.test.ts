import { describe, expect, it } from 'vitest';
import { isAcknowledgement, isThanks } from './acknowledgement.ts';

describe('isAcknowledgement', () => {
  it.each([
    ...[
      'ok',
      'OK!',
      'yes',
      'y',
      '1',
      'b',
      'ls',
      'continue',
      'go on',
      'Thanks!',
      'yes please',
      'looks good, thank you',
    ],
    ...[
      'do it',
      'that’s right',
      '👍',
      '???',
      'go ahead and continue',
      'weiter',
      'd’accord',
      '继续',
      '好的，谢谢',
      'はい',
    ],
  ])('returns true for %j', (text) => {
    expect(isAcknowledgement(text)).toBe(true);
  });

  it.each([
    ...[
      'use tabs',
      'do not continue',
      'no, use tabs',
      'stop',
      'fix it',
      'npm test',
      'ok, but keep the old export',
    ],
    ...['drop the lock', 'src/app.ts', 'yes, and never commit to main', '保持所有日期', '使用制表符'],
    'ok '.repeat(40),
  ])('returns false for %j', (text) => {
    expect(isAcknowledgement(text)).toBe(false);
  });
});

it.each(['Excellent work, thank you!', 'thanks a lot', 'Perfect.', 'danke', '谢谢'])(
  'takes %j for thanks',
  (text) => {
    expect(isThanks(text)).toBe(true);
  },
);

it.each(['ok', 'great, continue', 'perfect, next', 'thanks, now fix the tests'])(
  'does not take %j for thanks',
  (text) => {
    expect(isThanks(text)).toBe(false);
  },
);
