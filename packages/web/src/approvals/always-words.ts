import type { Approval } from '@longhaul/protocol';

/** What the answer "always" allows from then on. */
export function alwaysWords({
  toolName,
  alwaysAllows,
}: Approval & { alwaysAllows?: readonly string[] }): string {
  if (alwaysAllows === undefined || alwaysAllows.length === 0)
    return `later calls of ${toolName} like this one`;
  return alwaysAllows.map((rule) => `“${rule}”`).join(', ');
}
