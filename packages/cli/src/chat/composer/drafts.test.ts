import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processStat } from '@longhaul/core/host-processes';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Drafts } from './drafts.ts';

let root: string;
let folder: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'longhaul-drafts-'));
  folder = join(root, 'chat');
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** What a chat sees that opens this draft now. */
const opened = (sessionId: string | undefined) => new Drafts(folder, 'place').open(sessionId);

/** Writes the draft of a new conversation of another process. */
async function keepAs(pid: number, text: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `place-new-${pid}.draft`);
  await writeFile(path, text);
  return path;
}

async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version']);
  await once(child, 'close');
  return child.pid ?? 0;
}

it('keeps a draft for each session, and one for a conversation without a session', () => {
  const drafts = new Drafts(folder, 'place');
  drafts.open('one');
  drafts.keep('of one');
  expect(opened('one')).toBe('of one');
  expect(opened('two')).toBe('');
  expect(opened(undefined)).toBe('');
  drafts.open(undefined);
  drafts.keep('of none');
  expect(opened(undefined)).toBe('of none');
  expect(new Drafts(folder, 'elsewhere').open('one')).toBe('');
});

it('removes the file of an empty draft', async () => {
  const drafts = new Drafts(folder, 'place');
  drafts.open('one');
  drafts.keep('text');
  drafts.keep('');
  expect(await readdir(folder)).toEqual([]);
});

it('gives the draft of an ended process to one new conversation, the newest first', async () => {
  const older = await keepAs(await endedPid(), 'older');
  await utimes(older, new Date(), new Date(Date.now() - 1_000));
  await keepAs(await endedPid(), 'newer');
  expect(opened(undefined)).toBe('newer');
  // It belongs to this process now.
  expect(await readdir(folder)).toHaveLength(2);
  await rm(join(folder, `place-new-${process.pid}.draft`));
  expect(opened(undefined)).toBe('older');
});

it('leaves the draft of a running process alone', async () => {
  await keepAs(process.ppid, 'of another chat');
  expect(opened(undefined)).toBe('');
});

it.runIf(process.platform === 'linux')(
  'takes the draft of a process that has ended and whose parent has not noticed',
  async () => {
    // The child ends when the shell has become `sleep`, which does not ask for its children. A shell might.
    const parent = spawn('/bin/sh', ['-c', 'exec 3<&0; (read line <&3) & echo $!; exec sleep 600']);
    try {
      const [said] = await once(parent.stdout, 'data');
      const pid = Number(String(said));
      await expect.poll(() => readFile(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
      parent.stdin.end('\n');
      await expect.poll(() => processStat(pid)?.state).toBe('Z');
      await keepAs(pid, 'of a zombie');
      expect(opened(undefined)).toBe('of a zombie');
    } finally {
      parent.kill('SIGKILL');
    }
  },
);

it('takes a draft from before the start of the machine, whoever has the id of its process now', async () => {
  const path = await keepAs(process.ppid, 'of long ago');
  await utimes(path, new Date(), new Date(0));
  expect(opened(undefined)).toBe('of long ago');
});

it('leaves the draft alone that another chat of the session wrote meanwhile', () => {
  const idle = new Drafts(folder, 'place');
  idle.open('one');
  const other = new Drafts(folder, 'place');
  other.open('one');
  other.keep('of the other');
  idle.keep('');
  expect(opened('one')).toBe('of the other');
});

it('throws when it cannot write, writes later, and leaves no other file', async () => {
  const drafts = new Drafts(folder, 'place');
  drafts.open('one');
  await writeFile(folder, 'a file in place of the folder');
  expect(() => drafts.keep('text')).toThrow(/ENOTDIR|EEXIST/);
  await rm(folder);
  drafts.keep('text');
  expect(opened('one')).toBe('text');
  const [name = ''] = await readdir(folder);
  await rm(join(folder, name));
  await mkdir(join(folder, name));
  expect(() => drafts.keep('more')).toThrow();
  expect(await readdir(folder)).toEqual([name]);
});
