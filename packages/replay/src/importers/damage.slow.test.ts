import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFixture, readTranscript, transcriptNames } from '../../test/support.ts';
import { expectValid, textsOf } from '../../test/valid-messages.ts';
import { readSession } from './import-session.ts';

const SAMPLES = [
  'claude-code.jsonl',
  'codex.jsonl',
  'pi-v1.jsonl',
  'pi-v3.jsonl',
  'opencode.json',
  'mini-swe-agent.traj.json',
  'swe-agent.traj',
  'openhands.jsonl',
  'chat-messages.json',
  'longhaul.json',
  'copilot.jsonl',
  'gemini-cli.json',
  'gemini-cli.jsonl',
  'gemini-stream.jsonl',
  'atif.json',
  'codex-exec.jsonl',
  'specstory.md',
  'specstory-first-version.md',
  'aider.md',
  'chat-tool-output.json',
];

/** Size of the excerpt of a file. A property runs many times, which takes too long with a complete file. */
const EXCERPT_BYTES = 120_000;

interface Subject {
  name: string;
  content: Buffer;
}

const samples = SAMPLES.map((name) => ({ name, content: readFixture(name) }));
const excerpts = transcriptNames().map((name) => ({
  name,
  content: readTranscript(name).subarray(0, EXCERPT_BYTES),
}));
const subjects: Subject[] = [...samples, ...excerpts];
const jsonl = subjects.filter(({ name }) => /jsonl$/.test(name) && !name.startsWith('openhands'));

const position = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

type Damage = (content: Buffer) => Buffer;

const cut: fc.Arbitrary<Damage> = position.map((at) => (content) => content.subarray(0, at * content.length));
const beheaded: fc.Arbitrary<Damage> = position.map(
  (at) => (content) => content.subarray(at * content.length),
);
const flipped: fc.Arbitrary<Damage> = fc
  .array(fc.tuple(position, fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 20 })
  .map((flips) => (content) => {
    const copy = Buffer.from(content);
    for (const [at, mask] of flips) {
      const index = Math.floor(at * copy.length);
      if (index < copy.length) copy.writeUInt8((copy[index] ?? 0) ^ mask, index);
    }
    return copy;
  });
const inserted: fc.Arbitrary<Damage> = fc
  .tuple(
    position,
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => Buffer.from(text)),
    ),
  )
  .map(([at, rubbish]) => (content) => {
    const index = Math.floor(at * content.length);
    return Buffer.concat([content.subarray(0, index), rubbish, content.subarray(index)]);
  });
const removed: fc.Arbitrary<Damage> = fc.tuple(position, position).map(([at, share]) => (content) => {
  const from = Math.floor(at * content.length);
  const to = from + Math.floor(share * 0.2 * content.length);
  return Buffer.concat([content.subarray(0, from), content.subarray(to)]);
});

const damage = fc.array(fc.oneof(cut, beheaded, flipped, inserted, removed), { minLength: 1, maxLength: 3 });

describe('a damaged file', () => {
  it.each(subjects)('$name never throws and gives valid messages', ({ content }) => {
    fc.assert(
      fc.property(damage, (damages) => {
        const { messages, report } = readSession(damages.reduce((text, apply) => apply(text), content));
        expectValid(messages);
        expect(report.messages).toBe(messages.length);
        if (messages.length === 0) expect(report.problem).toMatch(/\.$/);
      }),
      { numRuns: 25 },
    );
  });

  it.each(subjects)('$name with values of other types gives valid messages', ({ name, content }) => {
    const isLines = /jsonl$/.test(name);
    const text = content.toString();
    fc.assert(
      fc.property(position, fc.jsonValue(), (at, value) => {
        const written = JSON.stringify(value);
        expectValid(readSession(replaceValue(text, at, written)).messages);
        if (isLines) expectValid(readSession(`${written}\n${text}\n${written}`).messages);
      }),
      { numRuns: 25 },
    );
  });
});

describe('a damaged JSONL file', () => {
  const lineDamage = fc.constantFrom<LineDamage>(
    'drop',
    'double',
    'glue',
    'break',
    'rubbish',
    'empty',
    'cut',
  );

  it.each(jsonl)('$name keeps the content of its undamaged lines', ({ content }) => {
    const lines = content.toString().split('\n').slice(0, -1);
    fc.assert(
      fc.property(fc.array(fc.tuple(position, lineDamage), { minLength: 1, maxLength: 8 }), (damages) => {
        const touched = new Map(damages.map(([at, kind]) => [Math.floor(at * lines.length), kind]));
        const damaged = lines.map((line, index) => damageLine(line, touched.get(index))).join('');
        const { messages } = readSession(damaged);
        expectValid(messages);
        const kept = textsOf(messages);
        const all = [...kept].join('\n');
        for (const text of textsOf(readSession(untouchedOnly(lines, touched)).messages))
          expect(kept.has(text) || all.includes(text)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it.each(jsonl)('$name gives the same messages with duplicate lines', ({ content }) => {
    const lines = content.toString().split('\n').slice(0, -1);
    const doubled = lines.map((line) => `${line}\n${line}\n`).join('');
    const ids = { sessionId: 'same' };
    const plain = (text: string) => readSession(text, ids).messages.map(({ id: _, ...message }) => message);
    expect(plain(doubled)).toEqual(plain(lines.join('\n')));
  });

  it.each(jsonl)('$name gives the same messages with every two lines joined', ({ content }) => {
    const lines = content.toString().split('\n').slice(0, -1);
    const glued = lines.map((line, index) => line + (index % 2 === 1 ? '\n' : '')).join('');
    const plain = (text: string) =>
      readSession(text).messages.map(({ id: _, sessionId: __, ...rest }) => rest);
    expect(plain(glued)).toEqual(plain(lines.join('\n')));
  });
});

type LineDamage = 'drop' | 'double' | 'glue' | 'break' | 'rubbish' | 'empty' | 'cut';

function damageLine(line: string, kind: LineDamage | undefined): string {
  switch (kind) {
    case undefined:
      return `${line}\n`;
    case 'drop':
      return '';
    case 'double':
      return `${line}\n${line}\n`;
    case 'glue':
      return line;
    case 'break':
      return `${line.slice(0, line.length / 2)}"${line.slice(line.length / 2)}\n`;
    case 'rubbish':
      return `${line}\n{"type": not json\u0000\u2028]}\n`;
    case 'empty':
      return '\r\n\n';
    case 'cut':
      return `${line.slice(0, line.length / 2)}\n`;
  }
}

/** Returns the lines that must be read: those without damage, and those that are complete despite it. */
function untouchedOnly(lines: readonly string[], touched: ReadonlyMap<number, LineDamage>): string {
  const isWhole = (index: number) => /^(?:double|glue|rubbish)$/.test(touched.get(index) ?? 'double');
  return lines
    .filter((_, index) => isWhole(index))
    .map((line) => `${line}\n`)
    .join('');
}

/** Replaces one value in the text. */
function replaceValue(text: string, at: number, written: string): string {
  const from = text.indexOf('":', at * text.length);
  if (from === -1) return text;
  const rest = text.slice(from + 2);
  const value = /^\s*(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|\{\}|\[\])/.exec(rest);
  return value === null ? text : text.slice(0, from + 2) + written + rest.slice(value[0].length);
}
