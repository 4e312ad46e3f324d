import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { droppedImage, PastedImages } from './pasted-images.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
let folder: string;
let path: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-images-'));
  path = join(folder, "it's a shot.PNG");
  await writeFile(path, PNG);
  await writeFile(join(folder, 'text.png'), 'a text');
});
afterAll(() => rm(folder, { recursive: true }));

const pasted = (text: string) => droppedImage(`\u001b[200~${text}\u001b[201~`);

it('finds a path in all forms in which terminals write it', () => {
  for (const text of [
    path,
    `${path} `,
    `"${path}"`,
    path.replaceAll(/([' ])/g, '\\$1'),
    pathToFileURL(path).href,
  ])
    expect(pasted(text)).toBe(path);
});

it.each(['see /a.png', '/no/such.png', 'a.png', 'file://host/a.png', 'file:///%zz.png', '', '/etc/passwd'])(
  'keeps %j as text',
  (text) => expect(pasted(text)).toBeUndefined(),
);

it('does not change keys or several lines', () => {
  expect(droppedImage(path)).toBeUndefined();
  expect(pasted(`${path}\n${path}`)).toBeUndefined();
});

it('gives the images whose marks are still in the text, each once', async () => {
  const images = new PastedImages();
  const first = await images.fromFile(path);
  const second = await images.fromFile(path);
  expect([first, second]).toEqual(['[image 1, 16 B]', '[image 2, 16 B]']);
  expect(images.partsIn(`x ${second} ${second} [image 7, 1 B]`)).toEqual([
    { type: 'image', mediaType: 'image/png', data: PNG.toString('base64') },
  ]);
  expect(images.partsIn('x')).toEqual([]);
});

it('refuses a file that is not an image', async () => {
  await expect(new PastedImages().fromFile(join(folder, 'text.png'))).rejects.toThrow(
    'is not a PNG, JPEG, GIF or WebP image',
  );
});
