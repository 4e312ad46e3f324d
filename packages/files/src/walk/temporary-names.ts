/** The names of files that Longhaul makes before it puts a file in place. They stay if it is killed. */
const TEMPORARY = /^\.longhaul-(?:restore-)?[0-9a-f-]{36}\.tmp$/;
const RESTORE = '.longhaul-restore-';

export function restoreTemporary(id: string): string {
  return `${RESTORE}${id}.tmp`;
}

export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

export function isLeftoverOfRestore(name: string): boolean {
  return name.startsWith(RESTORE) && isTemporaryName(name);
}
