/** Fails if a package for other programs exports a name without a docstring. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { entriesOf, LIBRARIES } from './entries.ts';
import { ExportReader } from './exported.ts';

const root = join(import.meta.dirname, '../..');
const reader = new ExportReader((file) => readFileSync(file, 'utf8'));
const exported = LIBRARIES.flatMap((name) => entriesOf(join(root, 'packages', name))).flatMap(({ source }) =>
  reader.of(source),
);
const missing = exported.filter(({ doc }) => doc === undefined || doc === '');
const lines = missing.map(({ name, file }) => `${relative(root, file)}: ${name} has no docstring`);
for (const line of new Set(lines)) console.error(line);
if (missing.length > 0) {
  console.error('Say in a comment /** … */ before each of them what it is for.');
  process.exit(1);
}
console.log(`Reference: checked ${exported.length} exports, all have docstrings.`);
