import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MarkdownStream, renderMarkdown } from './markdown.ts';
import { createPaint } from './paint.ts';

const PLAIN = { columns: 40, paint: createPaint(false) };
const linesOf = (text: string) => renderMarkdown(text, PLAIN).split('\n').slice(0, -1);

describe('renderMarkdown', () => {
  it('breaks paragraphs at words, and drops the marks of emphasis and links', () => {
    const text =
      '## Why\n\nThe **interval** is _computed_ from `count - 1`, see [the\nmanual](https://example.org/m).\n\nNext.';
    expect(linesOf(text)).toEqual([
      '## Why',
      '',
      'The interval is computed from `count -',
      '1`, see the manual',
      '(https://example.org/m).',
      '',
      'Next.',
    ]);
  });

  it('colours emphasis, code and headings', () => {
    const text = renderMarkdown('# Title\n**bold** and `code`', { columns: 40, paint: createPaint(true) });
    expect(text).toBe('\u001b[1mTitle\u001b[22m\n\u001b[1mbold\u001b[22m and \u001b[36mcode\u001b[39m\n');
  });

  it('sets lists below their bullets, nested ones and tasks too', () => {
    const text =
      '- one that is longer than the line is wide\n  - nested\n- [x] done\n\n2. two\n3. three\n\n   more\n\nEnd.';
    expect(linesOf(text)).toEqual([
      '• one that is longer than the line is',
      '  wide',
      '  • nested',
      '• ☑ done',
      '',
      '2. two',
      '3. three',
      '',
      '   more',
      '',
      'End.',
    ]);
  });

  it('leaves code unchanged, even below a list item and without an end', () => {
    const long = `const long = ${'x'.repeat(60)};`;
    expect(linesOf(`Run:\n\`\`\`sh\n# not a heading\n${long}\n\n  * a\n\`\`\`\nDone.`)).toEqual([
      'Run:',
      '  # not a heading',
      `  ${long}`,
      '  ',
      '    * a',
      'Done.',
    ]);
    expect(linesOf('1. Do\n   ~~~\n   npm i\n')).toEqual(['1. Do', '     npm i']);
  });

  it('sets tables in columns that fit', () => {
    const text =
      '| name | what it does |\n| --- | --- |\n| `a` | short |\n| b | a text that is far too long for one line |';
    expect(linesOf(text)).toEqual([
      'name │ what it does',
      '─────┼──────────────────────────────────'.slice(0, linesOf(text)[1]?.length),
      '`a`  │ short',
      ...linesOf(text).slice(3),
    ]);
    for (const line of linesOf(text)) expect(line.length).toBeLessThanOrEqual(40);
  });

  it('keeps quotes, rules, a year at the start of a line and text that only looks like Markdown', () => {
    expect(linesOf('> quoted\n\n---\n\nIt was\n2024. A year.\n\n<b>raw</b> a * b snake_case_name')).toEqual([
      '│ quoted',
      '',
      '─'.repeat(40),
      '',
      'It was 2024. A year.',
      '',
      '<b>raw</b> a * b snake_case_name',
    ]);
  });

  it('passes no control character', () => {
    const text = renderMarkdown(
      'a\u001b[2Jb `\u0007c` [x](\u001b]8;;evil) \u202e\n```\n\u001b[0m\n```',
      PLAIN,
    );
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

describe('MarkdownStream', () => {
  it('returns a paragraph, an item or a line of code when it is complete', () => {
    const stream = new MarkdownStream(PLAIN);
    expect(stream.push('Some **bo')).toBe('');
    expect(stream.push('ld** text\n\n')).toBe('Some bold text\n');
    expect(stream.push('- one\n- tw')).toBe('');
    expect(stream.push('o\n')).toBe('\n• one\n');
    expect(stream.push('\n```js\nlet a;\n')).toBe('• two\n\n  let a;\n');
    expect(stream.push('```\nThe ')).toBe('');
    expect(stream.end()).toBe('The\n');
  });

  it('returns the same however the text is cut, and only whole lines', () => {
    const text =
      '# A\n\nSome *text*\nhere.\r\n\r\n1. one\n   - two\n\n   ```\n   code\n   ```\n2. x\n\n| a | b |\n|---|---|\n| 1 | 2 |\n> q';
    const whole = renderMarkdown(text, PLAIN);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length })), (cuts) => {
        const stream = new MarkdownStream(PLAIN);
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, index) => stream.push(text.slice(places[index], end)));
        for (const piece of pieces) expect(piece === '' || piece.endsWith('\n')).toBe(true);
        expect(pieces.join('') + stream.end()).toBe(whole);
      }),
    );
  });

  it('loses no word of any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('word', '- item', '1. n', '# h', '', '    ind', '> q', 'a | b')),
        (lines) => {
          const shown = stripVTControlCharacters(renderMarkdown(lines.join('\n'), PLAIN));
          const count = (text: string, word: string) => text.split(word).length;
          for (const word of ['word', 'item', 'ind'])
            expect(count(shown, word)).toBe(count(lines.join('\n'), word));
        },
      ),
    );
  });
});
