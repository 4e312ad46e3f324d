/** Runs in a package's folder before it is packed and copies the licence there. */
import { copyFile } from 'node:fs/promises';

await copyFile(new URL('../LICENSE', import.meta.url), 'LICENSE');
