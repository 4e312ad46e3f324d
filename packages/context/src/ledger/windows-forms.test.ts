import { expect, it } from 'vitest';
import { call, LogBuilder } from '../../test/log-fixtures.ts';
import { countByClasses } from '../tokens.ts';
import { fileKey } from './file-paths.ts';
import { buildLedger } from './ledger.ts';

const ROOT = 'C:\\Users\\ann\\shop';

function write(path: string, content: string) {
  return call('write', {
    input: { path, content },
    output: `Created ${path}.`,
    metadata: { path, created: true },
  });
}

function edit(path: string) {
  return call('edit', {
    input: { path, old: 'a', new: 'b' },
    output: 'ok',
    metadata: { path, replacements: 1 },
  });
}

function session(newLine: string): string {
  const log = new LogBuilder()
    .user(`Build the shop.${newLine}Never commit to main.`)
    .step(
      write(
        `${ROOT}\\src\\cart.ts`,
        `export class CartStore {}${newLine}export function addItem() {}${newLine}`,
      ),
    )
    .step(write(`${ROOT}\\src\\price.ts`, `export function totalOf() {}${newLine}`))
    .step(edit('src\\cart.ts'), edit('src/price.ts'))
    .step(
      call('bash', {
        input: { command: 'npx vitest run' },
        output: [
          'FAIL src\\cart.test.ts',
          'Error: expected 3',
          `    at addItem (${ROOT}\\src\\cart.ts:12:5)`,
          '[exit code 1]',
        ].join(newLine),
        state: 'error',
        metadata: { ended: 'exit', exitCode: 1, outputChars: 80, durationMs: 5 },
      }),
    );
  return buildLedger(log.messages, { maxTokens: 2_000, count: countByClasses });
}

it.each([
  ['\\n', '\n'],
  ['\\r\\n', '\r\n'],
])('lists a file once however a session on Windows spells its path, with line ends %s', (_, newLine) => {
  const ledger = session(newLine);
  expect(ledger).toContain('Done: price.ts, cart.ts changed');
  expect(ledger).toContain(`### Files changed, newest first
C:/Users/ann/shop/src/
  price.ts (created; m4.1): totalOf
  cart.ts (created; m4.0): addItem CartStore`);
  expect(ledger).toContain('`npx vitest run` → exit 1');
  expect(ledger).toContain('Error: expected 3');
});

it.each([
  ['src\\a.ts', 'src/a.ts'],
  ['.\\src\\a.ts', 'src/a.ts'],
  ['C:\\My Work\\a.ts', 'C:/My Work/a.ts'],
  ['c:/work/a.ts', 'c:/work/a.ts'],
  ['\\\\server\\share\\a.ts', 'server/share/a.ts'],
  ['my\\ file.ts', 'my\\ file.ts'],
  ['src/a\\(1\\).ts', 'src/a\\(1\\).ts'],
  ['\\d+', '\\d+'],
])('reads %s as %s', (path, key) => {
  expect(fileKey(path)).toBe(key);
});
