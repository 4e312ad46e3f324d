import type { Want } from './wants.ts';

/** Returns the wants that trust can allow. */
export function grantable(wants: readonly Want[]): Want[] {
  return wants.filter(({ refusal }) => refusal === undefined);
}
