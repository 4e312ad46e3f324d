import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readClipboardImage } from './clipboard-image.ts';

const IMAGE = Buffer.from('89504e470d0a1a0aff00', 'hex');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-clipboard-'));
  await writeFile(join(folder, 'image'), IMAGE);
  const programs = {
    'wl-paste': `cat '${folder}/image'`,
    xclip: '[ -z "$HAS_TEXT" ] || exit 1; printf x',
    osascript: `echo '«data PNGf${IMAGE.toString('hex').toUpperCase()}»'`,
    'powershell.exe': `echo '${IMAGE.toString('base64')}\r'`,
  };
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${line}\n`);
    await chmod(join(folder, name), 0o700);
  }
});
afterAll(() => rm(folder, { recursive: true }));

const PATH = () => `${folder}:/usr/bin:/bin`;

it.each([
  ['wl-paste', { WAYLAND_DISPLAY: 'w', DISPLAY: ':0' }, 'linux'],
  ['osascript', {}, 'darwin'],
  ['powershell.exe', { WSL_DISTRO_NAME: 'Debian', DISPLAY: ':0' }, 'linux'],
] as const)('reads the image with %s', async (_, env, platform) => {
  expect(Buffer.from(await readClipboardImage({ ...env, PATH: PATH() }, platform))).toEqual(IMAGE);
});

it('reads what xclip prints, and reports that a text is not an image', async () => {
  const env = { DISPLAY: ':0', PATH: PATH() };
  expect(Buffer.from(await readClipboardImage(env, 'linux'))).toEqual(Buffer.from('x'));
  await expect(readClipboardImage({ ...env, HAS_TEXT: '1' }, 'linux')).rejects.toThrow(
    'The clipboard has no image.',
  );
});

it.each([
  [{ WAYLAND_DISPLAY: 'w' }, 'install wl-clipboard'],
  [{ DISPLAY: ':0' }, 'install xclip'],
  [{}, 'neither WAYLAND_DISPLAY nor DISPLAY is set'],
])('names what is missing with %j', async (env, expected) => {
  await expect(readClipboardImage({ ...env, PATH: '/nowhere' }, 'linux')).rejects.toThrow(expected);
});
