import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the folder of the built page: that of a checkout, or else the copy in the bundle. It need not exist. The paths
 * are valid from `src/serve` and from `dist/serve`.
 */
export function webFolder(): string {
  const checkout = fileURLToPath(new URL('../../../web', import.meta.url));
  if (isPagePackage(checkout)) return join(checkout, 'dist');
  return fileURLToPath(new URL('../../bundle/lib/web/dist', import.meta.url));
}

/** In an installation, the folder beside this package is another package, whatever its name is. */
function isPagePackage(folder: string): boolean {
  const manifest = join(folder, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === '@longhaul/web';
}
