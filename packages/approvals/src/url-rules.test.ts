import type { JsonValue } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { alwaysRules } from './always-rules.ts';
import {
  type ApprovalAction,
  type ApprovalRule,
  createJudge,
  subjectsOf,
  subjectText,
} from './approval-rules.ts';

const call = (url: string) => ({ toolName: 'fetch', input: { url }, workspacePath: '/workspace' });

/** The action for an address by one rule. What it does not match gets `fallback`. */
async function judged(url: string, pattern: string, action: ApprovalAction): Promise<boolean> {
  const fallback = action === 'allow' ? 'ask' : 'allow';
  const rules: ApprovalRule[] = [{ tool: 'fetch', url: pattern, action }];
  return (await createJudge(rules)(call(url), fallback)).action === action;
}

describe('rules for URLs', () => {
  it.each([
    ['https://example.com/docs/a?b=1', 'https://example.com/docs/*'],
    ['https://example.com/docs/', 'https://example.com'],
    ['https://example.com/', 'example.com'],
    ['http://example.com/', 'example.com'],
    ['https://a.b.example.com/x', 'https://*.example.com/*'],
    ['https://example.com:8443/', 'https://example.com:8443/*'],
    ['https://example.com/', 'https://example.com:443'],
    ['https://example.com/', 'https://EXAMPLE.com'],
    ['http://[::1]:80/', 'http://[::1]'],
    ['https://anything.org/', '*'],
  ])('allows %s by %s', async (url, pattern) => expect(await judged(url, pattern, 'allow')).toBe(true));

  it.each([
    ['https://example.com.evil.org/', 'https://example.com'],
    ['https://evil.org/https://example.com/', 'https://example.com/*'],
    ['https://evil.org/x.example.com/', 'https://*.example.com/*'],
    ['https://evil.org/?x=.example.com', '*.example.com'],
    ['https://evilexample.com/', '*.example.com'],
    ['https://example.com/', '*.example.com'],
    ['http://example.com/', 'https://example.com'],
    ['https://example.com:8443/', 'https://example.com/*'],
    ['https://example.com./', 'https://example.com'],
    ['https://example.com/docs', 'https://example.com/docs/*'],
    ['https://example.com/docs/../private', 'https://example.com/docs/*'],
    ['https://example.com/%64ocs/x', 'https://example.com/docs/*'],
  ])('does not allow %s by %s', async (url, pattern) =>
    expect(await judged(url, pattern, 'allow')).toBe(false),
  );

  it.each([
    ['https://example.com/private/a', 'example.com/private/*'],
    ['https://example.com/%70rivate/a', 'example.com/private/*'],
    ['https://EXAMPLE.com./private/a', 'example.com/private/*'],
    ['https://example.com:8443/private/a', 'example.com/private/*'],
  ])('denies %s by %s, however it is written', async (url, pattern) => {
    expect(await judged(url, pattern, 'deny')).toBe(true);
  });

  it('applies to no call without a URL', async () => {
    const judge = createJudge([{ tool: '*', url: '*', action: 'deny' }]);
    const inputs: JsonValue[] = [{}, { url: 'no address' }, { url: 'file:///etc/passwd' }, { path: 'a' }];
    for (const input of inputs) expect((await judge({ ...call(''), input }, 'allow')).action).toBe('allow');
  });

  it('remembers an approval for the origin alone, and writes the same rule', async () => {
    const subjects = await subjectsOf(call('https://example.com/a?b'));
    expect(subjects.map(subjectText)).toEqual(['fetch https://example.com']);
    expect(await subjectsOf(call('https://example.com/other'))).toEqual(subjects);
    expect(await subjectsOf(call('https://example.com:8443/a'))).not.toEqual(subjects);
    for (const origin of ['https://example.com', 'http://10.0.0.1:81'])
      expect(await alwaysRules(call(`${origin}/a`))).toEqual([
        { tool: 'fetch', url: origin, action: 'allow' },
      ]);
  });
});
