import { expect, it } from 'vitest';
import { contentOf } from './prompt-content.ts';
import { typedCommand } from './typed-command.ts';

const FOLDER = '/home/me/my project';

it('names files of the folder by their relative path, and others as they are', () => {
  const link = (uri: string) => contentOf([{ type: 'resource_link', uri, name: 'x' }], FOLDER);
  expect(link('file:///home/me/my%20project/src/a.ts')).toEqual([{ type: 'text', text: '[x](src/a.ts)' }]);
  expect(link('file:///etc/hosts')).toEqual([{ type: 'text', text: '[x](/etc/hosts)' }]);
  expect(link('https://example.com/a')).toEqual([{ type: 'text', text: '[x](https://example.com/a)' }]);
  expect(link('file://%zz')).toEqual([{ type: 'text', text: '[x](file://%zz)' }]);
});

it('keeps a quote in the name of an embedded file from ending it', () => {
  const [part] = contentOf([{ type: 'resource', resource: { uri: '/a".txt', text: 'b' } }], FOLDER);
  expect(part).toEqual({ type: 'text', text: '<file path="/a&quot;.txt">\nb\n</file>' });
});

it('cuts a long embedded file, and explains how to get the rest', () => {
  const [part] = contentOf(
    [{ type: 'resource', resource: { uri: '/a', text: 'x'.repeat(300_000) } }],
    FOLDER,
  );
  expect(part?.type === 'text' && part.text).toContain('[cut after 200000 of 300000 characters');
});

it('sends an embedded blob as an image or a file', () => {
  const blob = (mimeType?: string) =>
    contentOf([{ type: 'resource', resource: { uri: 'file:///a/b.pdf', blob: 'AAAA', mimeType } }], FOLDER);
  expect(blob('image/png')).toEqual([{ type: 'image', data: 'AAAA', mediaType: 'image/png' }]);
  expect(blob('application/pdf')).toMatchObject([{ type: 'file', filename: 'b.pdf' }]);
  expect(blob()).toMatchObject([{ type: 'file', mediaType: 'application/octet-stream' }]);
});

const commands = [{ name: 'compact', description: '', run: async () => ({ text: '' }) }];
const typed = (...texts: string[]) =>
  typedCommand(
    texts.map((text) => ({ type: 'text', text })),
    commands,
  )?.words;

it.each([
  ['/compact', ''],
  ['  /compact  ', ''],
  ['/compact  the first half\nand more ', 'the first half\nand more'],
  ['/compactor', undefined],
  ['/compact/src', undefined],
  ['please /compact', undefined],
  ['/', undefined],
])('reads %j as a command with the words %j', (text, words) => {
  expect(typed(text)).toBe(words);
});

it('does not treat a prompt with an image as a command', () => {
  const image = { type: 'image', data: 'AAAA' } as const;
  expect(typedCommand([{ type: 'text', text: '/compact' }, image], commands)).toBeUndefined();
});
