import type { Approval } from './approval.ts';

/**
 * Says what the answer `always` allows from then on.
 *
 * @param alwaysAllows As the API lists it for an open request.
 */
export function alwaysWords({
  toolName,
  alwaysAllows,
}: Pick<Approval, 'toolName'> & { alwaysAllows?: readonly string[] | undefined }): string {
  if (alwaysAllows === undefined || alwaysAllows.length === 0)
    return `later calls of ${toolName} like this one`;
  return alwaysAllows.map((rule) => `“${rule}”`).join(', ');
}
