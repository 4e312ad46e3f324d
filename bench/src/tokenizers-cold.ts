import { readFileSync } from 'node:fs';

/**
 * A separate program, run by `tokenizers.ts`: loads a tokenizer, counts a file, and prints the time and memory used.
 */
const [kind = '', path = ''] = process.argv.slice(2);

const text = readFileSync(path, 'utf8');
const before = process.memoryUsage();
const cpuBefore = process.cpuUsage();
const started = performance.now();
const count = await load(kind);
const loadedMs = performance.now() - started;
const tokens = count(text);
const totalMs = performance.now() - started;
const { user, system } = process.cpuUsage(cpuBefore);
const after = process.memoryUsage();
console.log(
  JSON.stringify({
    loadedMs,
    totalMs,
    cpuMs: (user + system) / 1_000,
    tokens,
    memoryMb: (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / 1e6,
  }),
);

async function load(name: string): Promise<(text: string) => number> {
  if (name === 'gpt-tokenizer') {
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
    return (text) => countTokens(text, { disallowedSpecial: new Set<string>() });
  }
  const { loadTokenizer, tokenFamilyOf } = await import('@longhaul/models');
  return (await loadTokenizer(tokenFamilyOf(name))).count;
}
