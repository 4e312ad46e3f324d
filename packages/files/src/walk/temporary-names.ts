/** The names of files that Longhaul makes before it puts a file in place. They stay if it is killed. */
const TEMPORARY = /^\.longhaul-(?:restore-)?[0-9a-f-]{36}\.tmp$/;
const RESTORE = '.longhaul-restore-';

/**
 * Is in a folder while the files of a session are written into it, so that a killed copy is not taken for a whole one.
 */
export const INCOMPLETE = '.longhaul-incomplete';

export function restoreTemporary(id: string): string {
  return `${RESTORE}${id}.tmp`;
}

export function isTemporaryName(name: string): boolean {
  return name === INCOMPLETE || TEMPORARY.test(name);
}

export function isLeftoverOfRestore(name: string): boolean {
  return name.startsWith(RESTORE) && isTemporaryName(name);
}
