// The first module of the single file. scripts/binary/stage.ts puts it beside the bundle's main.js.
import { isAbsolute, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { main } from './main.js';
import { ignoreRelativeFolders, run } from './start.js';

// `/$bunfs/root/longhaul`, in the place of a script's path.
const [program, self = '', first = '', ...rest] = process.argv;
const inside = relative(join(self, '..', 'lib'), first);

ignoreRelativeFolders();
// The single file starts itself as Node.js starts a script: with the path of the script.
if (first === self) await run(main, rest);
else if (isAbsolute(first) && !isAbsolute(inside) && !inside.startsWith('..')) {
  process.argv = [program, first, ...rest];
  await import(pathToFileURL(first).href);
} else await run(main, process.argv.slice(2));
