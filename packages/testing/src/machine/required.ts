/** Whether `LONGHAUL_REQUIRE` names the thing: its tests must run here, so that none is skipped unseen. */
export function isRequired(thing: string): boolean {
  const names = (process.env['LONGHAUL_REQUIRE'] ?? '').split(',');
  return names.some((name) => name.trim() === thing);
}

/**
 * For a test of something that this machine lacks: skips it with the reason, unless the thing is required; then the test fails.
 *
 * @example if (bun === undefined) return lacks('bun', 'no Bun that runs was found', skip);
 */
export function lacks(thing: string, reason: string, skip: (reason: string) => void): void {
  if (isRequired(thing)) throw new Error(`LONGHAUL_REQUIRE names ${thing}, but ${reason}`);
  skip(reason);
}
