import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { bytesOf } from './support.ts';

/** Names that are hard to handle, as byte strings. */
const NAMES = [
  'a',
  'b',
  'c.txt',
  'dir',
  'sub',
  'with space',
  'new\nline',
  '"quoted"',
  "it's",
  'back\\slash',
  '\xff\xfe',
  '\xc3\xa9',
  '-x',
  'tab\t',
];

export type Edit =
  | { kind: 'write'; path: string; content: string; mode: number }
  | { kind: 'append'; path: string; content: string }
  | { kind: 'link'; path: string; target: string }
  | { kind: 'folder'; path: string; mode: number }
  | { kind: 'delete'; path: string }
  | { kind: 'chmod'; path: string; mode: number }
  | { kind: 'rename'; path: string; to: string };

const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 })
  .map((names) => names.join('/'));
const line = fc.constantFrom(
  'one\n',
  'two\n',
  'three\n',
  'four\n',
  'same\n',
  'no end',
  '\r\n',
  '\xff\x00binary',
  '\xc3\xa9\n',
);
const content = fc.oneof(
  fc.array(line, { maxLength: 12 }).map((lines) => lines.join('')),
  fc.constant(''),
  fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte).repeat(300)),
);
const fileMode = fc.constantFrom(0o644, 0o755, 0o600, 0o444);
const folderMode = fc.constantFrom(0o755, 0o700, 0o555);

export const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('write' as const), path, content, mode: fileMode }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('append' as const), path, content: line }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('link' as const),
        path,
        target: fc.constantFrom('a', '../x', '/etc/passwd', 'no\nwhere', '\xff'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('folder' as const), path, mode: folderMode }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), path }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('chmod' as const), path, mode: fileMode }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), path, to: path }) },
  ),
  { maxLength: 25 },
);

/** Applies an edit as a rough program would: what is in the way is removed. An edit of nothing has no effect. */
export function apply(folder: string, edit: Edit): void {
  const full = bytesOf(`${folder}/${edit.path}`);
  if (edit.kind === 'write' || edit.kind === 'link' || edit.kind === 'folder') makeRoom(folder, edit.path);
  const kind = kindOf(folder, edit.path);
  if (edit.kind === 'write') {
    writeFileSync(full, edit.content, 'latin1');
    chmodSync(full, edit.mode);
  } else if (edit.kind === 'link') {
    symlinkSync(bytesOf(edit.target), full);
  } else if (edit.kind === 'folder') {
    mkdirSync(full);
    chmodSync(full, edit.mode);
  } else if (edit.kind === 'delete') {
    rmSync(full, { recursive: true, force: true });
  } else if (edit.kind === 'rename') {
    rename(folder, edit);
  } else if (kind === 'file') {
    if (edit.kind === 'append') writeFileSync(full, edit.content, { encoding: 'latin1', flag: 'a' });
    else chmodSync(full, edit.mode);
  }
}

function rename(folder: string, { path: from, to }: { path: string; to: string }): void {
  const isNested = `${to}/`.startsWith(`${from}/`) || `${from}/`.startsWith(`${to}/`);
  if (isNested || kindOf(folder, from) === undefined) return;
  makeRoom(folder, to);
  if (kindOf(folder, from) !== undefined)
    renameSync(bytesOf(`${folder}/${from}`), bytesOf(`${folder}/${to}`));
}

/** Removes what is at a path, and makes the folders above it. */
function makeRoom(folder: string, path: string): void {
  const names = path.split('/');
  for (let depth = 1; depth < names.length; depth += 1) {
    const above = names.slice(0, depth).join('/');
    if (kindOf(folder, above) === 'folder') continue;
    rmSync(bytesOf(`${folder}/${above}`), { recursive: true, force: true });
    mkdirSync(bytesOf(`${folder}/${above}`));
  }
  rmSync(bytesOf(`${folder}/${path}`), { recursive: true, force: true });
}

function kindOf(folder: string, path: string): 'file' | 'folder' | 'link' | undefined {
  try {
    const info = lstatSync(bytesOf(`${folder}/${path}`));
    if (info.isSymbolicLink()) return 'link';
    return info.isDirectory() ? 'folder' : 'file';
  } catch {
    return undefined;
  }
}
