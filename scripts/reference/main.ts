/**
 * Writes the reference of the packages for other programs as Markdown, one file for each module that they export.
 * It reads the declarations that `npm run build` has written.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, LIBRARIES } from './entries.ts';
import { ExportReader } from './exported.ts';
import { renderReference } from './render.ts';

const root = join(import.meta.dirname, '../..');
const folder = process.argv[2] ?? join(root, 'reference');
const reader = new ExportReader((file) => readFileSync(file, 'utf8'));
mkdirSync(folder, { recursive: true });
for (const library of LIBRARIES) {
  for (const { name, declarations } of entriesOf(join(root, 'packages', library))) {
    const file = join(folder, `${name.replace('@longhaul/', '').replaceAll('/', '-')}.md`);
    writeFileSync(file, renderReference(name, reader.of(declarations)));
    console.log(file);
  }
}
