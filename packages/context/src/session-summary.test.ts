import { describe, expect, it } from 'vitest';
import { sessionSummary } from './session-summary.ts';

const ANSWER = `## Summary

I added the **login form** in [\`login.ts\`](src/login.ts). It checks e.g. the e-mail address.

\`\`\`ts
const x = 1;
\`\`\`

| file | lines |
| --- | --- |

- All 12 tests pass
- Nothing else changed`;

describe('sessionSummary', () => {
  it('has the first three sentences without Markdown, and the changed files', () => {
    expect(sessionSummary({ text: ANSWER, files: ['src/login.ts', 'src/login.test.ts'] })).toBe(
      'I added the login form in login.ts. It checks e.g. the e-mail address. All 12 tests pass. Changed files: src/login.ts, src/login.test.ts.',
    );
  });

  it('names five files and counts the others', () => {
    const files = Array.from({ length: 9 }, (_, index) => `f${index}.ts`);
    expect(sessionSummary({ text: '', files })).toBe(
      'Changed files: f0.ts, f1.ts, f2.ts, f3.ts, f4.ts and 4 more.',
    );
  });

  it('cuts a long sentence at a word', () => {
    const summary = sessionSummary({ text: 'word '.repeat(200), files: [] }) ?? '';
    expect(summary).toMatch(/^word .*word…$/);
    expect(summary.length).toBeLessThanOrEqual(320);
  });

  it('leaves out a second sentence that is too long', () => {
    expect(sessionSummary({ text: `Done. ${'word '.repeat(200)}`, files: [] })).toBe('Done.');
  });

  it('is one line without characters that hide something', () => {
    const text = 'Fine\u001b[31m.\nNext \u202eline\u0000.\r\nEnd';
    expect(sessionSummary({ text, files: ['a\nb.ts'] })).toBe(
      'Fine [31m. Next line . End. Changed files: a b.ts.',
    );
  });

  it('keeps sentences of other languages', () => {
    expect(sessionSummary({ text: '完成了。测试通过。', files: [] })).toBe('完成了。 测试通过。');
  });

  it.each(['', '\n \n', '```\ncode\n```', '---', '| a | b |'])('is undefined for %j', (text) => {
    expect(sessionSummary({ text, files: [] })).toBeUndefined();
  });

  it('leaves out code that does not end', () => {
    expect(sessionSummary({ text: 'See:\n```\ncode. More.', files: [] })).toBe('See:');
  });
});
