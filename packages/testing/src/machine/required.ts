/** Whether `LONGHAUL_REQUIRE` names the thing. Its tests must then run here, so that no skip goes unnoticed. */
export function isRequired(thing: string): boolean {
  const names = (process.env['LONGHAUL_REQUIRE'] ?? '').split(',');
  return names.some((name) => name.trim() === thing);
}

/**
 * Skips a test of something that this machine lacks, with the reason. Fails the test if the thing is required.
 *
 * @example if (bun === undefined) return lacks('bun', 'no Bun that runs was found', skip);
 */
export function lacks(thing: string, reason: string, skip: (reason: string) => void): void {
  if (isRequired(thing)) throw new Error(`LONGHAUL_REQUIRE names ${thing}, but ${reason}`);
  skip(reason);
}
