import { readFile } from 'node:fs/promises';

/** Returns the version of the `longhaul` package. */
export async function version(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}
