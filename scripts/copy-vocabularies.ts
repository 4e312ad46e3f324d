/**
 * Copies the vocabularies of OpenAI's models to the folder of the module that reads them, so that the published package
 * contains them without the 30 MB of their source package.
 */
import { cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const models = fileURLToPath(new URL('../packages/models/', import.meta.url));
const target = join(models, 'dist/tokenizers/vocabularies');
const require = createRequire(join(models, 'package.json'));

await mkdir(target, { recursive: true });
for (const name of ['o200k_base.tiktoken', 'cl100k_base.tiktoken']) {
  await cp(require.resolve(`gpt-tokenizer/data/${name}`), join(target, name));
}
await cp(
  require.resolve('gpt-tokenizer/package.json').replace(/package\.json$/, 'LICENSE'),
  join(target, 'LICENSE'),
);
