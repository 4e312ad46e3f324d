import { KeyStore } from '@longhaul/config';
import type { Terminal } from '../terminal.ts';
import type { Check } from './check.ts';

/** Warns if others can read the stored keys. */
export async function checkKeys(home: string, { env }: Pick<Terminal, 'env'>): Promise<Check[]> {
  const store = new KeyStore({ env, home });
  if (!(await store.isOpenToOthers())) return [];
  return [
    {
      name: 'keys',
      status: 'missing',
      detail: `other users of this machine can read ${store.path}`,
      remedy: `chmod 600 ${store.path}`,
    },
  ];
}
