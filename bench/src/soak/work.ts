/** The work of the soak: what a tool returns at each step. The same step returns the same text on any machine. */

const OUTPUT_CHARS = 3_000;
/** Size of the imitated project: its files, its identifiers, and the words of its comments. */
const FILES = 600;
const IDENTIFIERS = 4_000;
const WORDS = 1_500;
const SYLLABLES = [
  'ba',
  'der',
  'fo',
  'gan',
  'hil',
  'ju',
  'kem',
  'lor',
  'mi',
  'nes',
  'pu',
  'ral',
  'so',
  'ten',
  'vu',
];

export interface Call {
  name: 'read' | 'bash';
  arguments: { path: string } | { command: string };
}

export function callAt(step: number): Call {
  if (step % 4 === 3) return { name: 'bash', arguments: { command: `npm test -- ${fileAt(step)}` } };
  return { name: 'read', arguments: { path: fileAt(step) } };
}

/** Returns code of the project, with some numbers and hashes that occur only in this output, as in any log. */
export function outputAt(step: number): string {
  const lines = [`run ${hashOf(step)} took ${10_000 + step * 7} us`, `commit ${hashOf(step * 31 + 7)}`];
  for (let chars = 0, line = 1; chars < OUTPUT_CHARS; line += 1) {
    const seed = step * 131 + line * 17;
    const text = `${line}  const ${identifierAt(seed)} = ${identifierAt(seed * 3 + 1)}(${wordAt(seed)}, ${line}); // ${sentenceAt(seed)}`;
    lines.push(text);
    chars += text.length + 1;
  }
  return lines.join('\n');
}

export function sentenceAt(seed: number): string {
  return Array.from({ length: 6 }, (_, index) => wordAt(seed * 7 + index * 13)).join(' ');
}

function fileAt(step: number): string {
  const file = mix(step) % FILES;
  return `src/${wordAt(file % 40)}/${wordAt(file)}-${file}.ts`;
}

function identifierAt(seed: number): string {
  const place = mix(seed) % IDENTIFIERS;
  const last = wordAt(place * 3);
  return `${wordAt(place)}${last[0]?.toUpperCase()}${last.slice(1)}${place}`;
}

function wordAt(seed: number): string {
  const word = mix(seed) % WORDS;
  const syllable = (place: number) => SYLLABLES[Math.floor(word / place) % SYLLABLES.length] ?? '';
  return `${syllable(1)}${syllable(15)}${syllable(225)}`;
}

function hashOf(seed: number): string {
  return [1, 2, 3]
    .map((part) =>
      mix(seed * 5 + part)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('');
}

/** A hash of 32 bits (the finalizer of MurmurHash3). */
function mix(seed: number): number {
  let value = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
