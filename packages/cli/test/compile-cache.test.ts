import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';

const BIN = fileURLToPath(new URL('../bin/', import.meta.url));
/** Both have the same length, which V8 compares. */
const GOOD = "console.log('good'); export const main = async () => 0;\n";
const EVIL = "console.log('evil'); export const main = async () => 0;\n";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longhaul-compile-cache-'));
  for (const folder of ['home', 'tmp', 'package/bin', 'package/bundle'])
    mkdirSync(join(root, folder), { recursive: true });
  cpSync(BIN, join(root, 'package', 'bin'), { recursive: true });
  writeFileSync(join(root, 'package', 'package.json'), '{"type":"module"}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function start(program: string, env: Record<string, string> = {}): string {
  writeFileSync(join(root, 'package', 'bundle', 'main.js'), program);
  return execFileSync(process.execPath, [join(root, 'package', 'bin', 'longhaul.js')], {
    encoding: 'utf8',
    env: { HOME: join(root, 'home'), TMPDIR: join(root, 'tmp'), ...env },
  });
}

/** Makes the compiled code of one program pass for that of another: Node compares length and checksum of the source. */
function forge(folder: string, { from, to }: { from: string; to: string }): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  let forged = 0;
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    const bytes = readFileSync(path);
    const at = bytes.subarray(0, HEADER_BYTES).indexOf(checksum(from));
    if (at < 0) continue;
    checksum(to).copy(bytes, at);
    writeFileSync(path, bytes);
    forged += 1;
  }
  return forged;
}

const HEADER_BYTES = 32;

function checksum(text: string): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(crc32(text));
  return bytes;
}

it('runs no compiled code that was planted in the temporary folder', () => {
  const planted = join(root, 'tmp', 'node-compile-cache');
  expect(start(EVIL, { NODE_COMPILE_CACHE: planted })).toBe('evil\n');
  expect(forge(planted, { from: EVIL, to: GOOD })).toBe(1);
  const before = readdirSync(planted, { recursive: true });
  // The attack works on a cache that is used.
  expect(start(GOOD, { NODE_COMPILE_CACHE: planted })).toBe('evil\n');
  expect(start(GOOD)).toBe('good\n');
  expect(readdirSync(planted, { recursive: true })).toEqual(before);
  expect(existsSync(join(root, 'home', '.cache', 'longhaul', 'compiled'))).toBe(true);
});

it.each([
  ['without a home folder', { HOME: '' }],
  ['with a cache folder that depends on the current folder', { HOME: '', XDG_CACHE_HOME: 'tmp' }],
])('uses no cache %s', (_, env) => {
  expect(start(GOOD, env)).toBe('good\n');
  expect(readdirSync(join(root, 'tmp'))).toEqual([]);
});
