/** Runs in a package's folder before it is packed: puts the licence beside its manifest. */
import { copyFile } from 'node:fs/promises';

await copyFile(new URL('../LICENSE', import.meta.url), 'LICENSE');
