import { readFileSync } from 'node:fs';
import { countSteps } from '@longhaul/testing/steps';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { countByClasses, estimateTokens, memoizeCounter } from './tokens.ts';

const modules = new URL('../../../node_modules/', import.meta.url);
const sources = new URL('./', import.meta.url);

function fileText(path: string, base = modules): string {
  return readFileSync(new URL(path, base), 'utf8').slice(0, 60_000);
}

function realTokens(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set<string>() });
}

function ratioOf(text: string): number {
  return countByClasses(text) / realTokens(text);
}

/** Numbers as they come, the same in every run. */
function numbers(count: number): number[] {
  let state = 7;
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state >> 8;
  });
}

const accessLog = numbers(300)
  .map(
    (value, index) =>
      `2026-03-0${(index % 9) + 1}T12:${10 + (index % 50)}:0${index % 10}.${100 + (value % 900)}Z INFO [worker-${value % 16}] ` +
      `GET /api/v1/items/${value % 100_000} status=200 duration=${value % 1_000}.${value % 97}ms bytes=${value}`,
  )
  .join('\n');

const folderListing = numbers(200)
  .map(
    (value, index) =>
      `-rwxr-xr-x  1 root root  ${String(value % 1_000_000).padStart(8)} Sep ${10 + (index % 18)}  2023 tool-${value % 97}`,
  )
  .join('\n');

const testReport = Array.from(
  { length: 60 },
  (_, index) =>
    `✔ schedules card ${index} after a good answer (${index}.${(index * 37) % 1_000}ms)\nnot ok ${index} - rejects an empty deck\n  ---\n  duration_ms: 1.${index}\n  ...`,
).join('\n');

const german = `Jeder hat das Recht auf die freie Entfaltung seiner Persönlichkeit, soweit er nicht die Rechte anderer verletzt
und nicht gegen die verfassungsmäßige Ordnung oder das Sittengesetz verstößt. Bitte ändere die Funktion so, dass sie bei leeren
Eingaben keine Ausnahme wirft, sondern einen verständlichen Fehler zurückgibt. Danach führe die Tests aus und schreibe mir, was
übrig bleibt. Außerdem möchte ich, dass die Größenangaben in der Übersicht künftig größer dargestellt werden.`;

describe('countByClasses against the tokenizer of current OpenAI models', () => {
  const texts: [string, string][] = [
    ['prose: a licence', fileText('openai/LICENSE')],
    ['prose: another licence', fileText('fast-check/LICENSE')],
    ['Markdown: README of zod', fileText('zod/README.md')],
    ['Markdown: README of yargs', fileText('yargs/README.md')],
    ['Markdown: README of dockerode', fileText('dockerode/README.md')],
    ['JSON: package.json of vitest', fileText('vitest/package.json')],
    ['JSON: package.json of nanoid', fileText('nanoid/package.json')],
    ['JSON: the lock file, with hashes', fileText('../package-lock.json')],
    ['TypeScript: compact.ts', fileText('compact.ts', sources)],
    ['TypeScript: view.ts', fileText('view.ts', sources)],
    ['TypeScript: declarations of openai', fileText('openai/client.d.ts')],
    ['a file as read shows it', numbered(fileText('budget.ts', sources))],
    ['log lines full of numbers', accessLog],
    ['a folder listing', folderListing],
    ['a test report', testReport],
    ['German', german],
    ['UUIDs', numbers(200).map(uuidLike).join('\n')],
  ];

  it.each(texts.map(([name, text]) => ({ name, text })))(
    'is within 25 % and at most 15 % under on $name',
    ({ text }) => {
      expect(text.length).toBeGreaterThan(200);
      expect(ratioOf(text)).toBeGreaterThan(0.85);
      expect(ratioOf(text)).toBeLessThan(1.25);
    },
  );

  const dense: [string, string][] = [
    [
      'Chinese',
      '人人生而自由，在尊严和权利上一律平等。请修改这个函数，使它在输入为空时返回一个清楚的错误信息。'.repeat(
        4,
      ),
    ],
    [
      'Japanese',
      'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。'.repeat(4),
    ],
    ['Korean', '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. '.repeat(4)],
    ['Russian', 'Все люди рождаются свободными и равными в своем достоинстве и правах. '.repeat(4)],
    ['Arabic', 'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. '.repeat(4)],
    ['emoji', '🎉🚀✅🔥👩‍👩‍👧‍👦🇩🇪👍🏽 done 🎉 and ✨ more 💥💥'],
    ['a drawn table', '┌────┬────┐\n│ a  │ b  │\n├────┼────┤\n│ 1  │ 2  │\n└────┴────┘\n'.repeat(10)],
    [
      'base64',
      btoa(
        numbers(4_000)
          .map((value) => String.fromCharCode(value % 256))
          .join(''),
      ),
    ],
    ['base64 of text', btoa(fileText('zod/package.json'))],
    [
      'hexadecimal',
      numbers(2_000)
        .map((value) => (value % 256).toString(16).padStart(2, '0'))
        .join(''),
    ],
    ['a long number', '0123456789'.repeat(200)],
    ['blank lines', '\n'.repeat(2_000)],
    ['blanks', ' '.repeat(2_000)],
    ['one letter', 'a'.repeat(2_000)],
    ['a ruler', `${'='.repeat(78)}\n${'-'.repeat(78)}\n`.repeat(20)],
  ];

  it.each(dense.map(([name, text]) => ({ name, text })))('is at most 15 % under on $name', ({ text }) => {
    expect(ratioOf(text)).toBeGreaterThan(0.85);
    expect(ratioOf(text)).toBeLessThan(4);
  });
});

describe('countByClasses', () => {
  it('counts nothing as nothing', () => {
    expect(countByClasses('')).toBe(0);
  });

  it('counts any text without throwing, lone surrogates included', () => {
    expect(countByClasses('a\ud800b\udc00\udc00')).toBeGreaterThan(0);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const tokens = countByClasses(text);
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThanOrEqual(text === '' ? 0 : 1);
        // Blanks are taken into the word after them; nothing costs more than a token a code unit, but a lone blank before a digit.
        expect(tokens).toBeLessThanOrEqual(2 * text.length + 1);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (codes) => {
        expect(Number.isFinite(countByClasses(String.fromCharCode(...codes)))).toBe(true);
      }),
    );
  });

  it('takes a token for the blank before a number, as the tokenizers do', () => {
    expect(countByClasses('a 7 b 8 c 9')).toBeGreaterThanOrEqual(realTokens('a 7 b 8 c 9') - 1);
  });

  it('takes a number of steps linear in the length of any text', async () => {
    for (const unit of ['a', '=', 'a1B2', '\ud800', ' \n', 'a-', '文', '0 ']) {
      const text = unit.repeat(Math.ceil(100_000 / unit.length));
      const tenth = await countSteps(() => countByClasses(text.slice(0, 10_000)));
      const whole = await countSteps(() => countByClasses(text));
      expect(whole / tenth, `growth on ${JSON.stringify(unit)}`).toBeLessThan(10.1);
    }
  });

  it('counts a text of a million characters', () => {
    const prose = fileText('openai/LICENSE').repeat(200).slice(0, 1_000_000);
    expect(countByClasses(prose)).toBeGreaterThan(100_000);
  });
});

function numbered(text: string): string {
  return text
    .split('\n')
    .map((line, index) => `${index + 1}\t${line}`)
    .join('\n');
}

function uuidLike(value: number, index: number): string {
  const hex = [value, value * 31, value * 977, index * 7_919].map((part) =>
    (part % 4_294_967_296).toString(16).padStart(8, '0'),
  );
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

describe('estimateTokens', () => {
  it('is a quarter of the characters, rounded', () => {
    expect([0, 1, 2, 4, 6, 100].map((length) => estimateTokens('x'.repeat(length)))).toEqual([
      0, 0, 1, 1, 2, 25,
    ]);
  });
});

describe('memoizeCounter', () => {
  it('counts a long text once and gives what the counter gave', () => {
    let calls = 0;
    const count = memoizeCounter((text) => {
      calls += 1;
      return text.length;
    });
    const long = 'x'.repeat(500);
    expect([count(long), count(long), count('short'), count('short')]).toEqual([500, 500, 5, 5]);
    expect(calls).toBe(3);
  });
});
