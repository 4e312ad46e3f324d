import { isEmbeddedFile } from '@longhaul/models';

export interface OwnRuntime {
  name: 'node' | 'bun';
  version: string;
  /** Longhaul is a single file that contains the runtime. */
  isSingleFile: boolean;
}

/** Returns what runs this process. Bun also has a `process.version`: that of the Node.js that it imitates. */
export function ownRuntime(): OwnRuntime {
  const bun = process.versions['bun'];
  const isSingleFile = isEmbeddedFile(process.argv[1] ?? '');
  return bun === undefined
    ? { name: 'node', version: process.version, isSingleFile }
    : { name: 'bun', version: `v${bun}`, isSingleFile };
}
