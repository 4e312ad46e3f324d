import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A module that programs import from a package. */
export interface Entry {
  /** As it is imported, such as `@longhaul/context/engine`. */
  name: string;
  source: string;
  declarations: string;
}

/** The packages for other programs. The other ones are parts of the command. */
export const LIBRARIES = ['context', 'core', 'client'];

/** Returns the modules that a package exports. */
export function entriesOf(folder: string): Entry[] {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const entries = Object.entries<Record<string, string>>(exports).map(([path, files]) => ({
    name: path === '.' ? name : `${name}/${path.slice(2)}`,
    source: join(folder, files['longhaul-src'] ?? ''),
    declarations: join(folder, files['types'] ?? ''),
  }));
  for (const { name: entry, source } of entries)
    if (!existsSync(source))
      throw new Error(`${entry} has no source ${source}. Mend exports in package.json.`);
  return entries;
}
