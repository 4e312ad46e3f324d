import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { splitEmbeddedName } from './embedded.ts';

it.each([
  ['embedded', 'default'],
  ['embedded:qwen3-4b', 'qwen3-4b'],
  ['embedded/qwen3-4b', 'qwen3-4b'],
  ['embedded:a.gguf', resolve('a.gguf')],
  ['embedded:a/B.GGUF', resolve('a/B.GGUF')],
  ['embedded:./blobs/sha256-1', resolve('blobs/sha256-1')],
  ['embedded:/blobs/sha256-1', resolve('/blobs/sha256-1')],
  ['embedded:~/blobs/sha256-1', join(homedir(), 'blobs/sha256-1')],
])('reads the name %s', (name, model) => {
  expect(splitEmbeddedName(name)).toEqual({ provider: 'embedded', model });
});

it('leaves the models of other providers', () => {
  expect(splitEmbeddedName('embeddedish/model')).toBeUndefined();
});
