import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Adds a `.br` and a `.gz` copy of each larger file, which the server sends to browsers that take them. */
export function compressedCopies(): Plugin {
  const FROM_BYTES = 1_024;
  const forms = { br: promisify(brotliCompress), gz: promisify<Uint8Array, Buffer>(gzip) };
  return {
    name: 'compressed-copies',
    apply: 'build',
    // Vite still changes files in `generateBundle`: only the written files are final.
    async writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle)) {
        if (!/\.(?:js|css|svg|html)$/.test(name)) continue;
        const bytes = await readFile(join(dir, name));
        if (bytes.length < FROM_BYTES) continue;
        for (const [ending, compress] of Object.entries(forms))
          await writeFile(join(dir, `${name}.${ending}`), await compress(bytes));
      }
    },
  };
}
