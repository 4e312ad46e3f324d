/**
 * Creates a matcher of relative paths with `/` against a glob. Names that begin with a dot match too. A glob without a
 * slash is matched against the last name of the path.
 */
export async function createPathMatcher(glob: string): Promise<(path: string) => boolean> {
  const { default: picomatch } = await import('picomatch');
  return picomatch(glob, { dot: true, nonegate: true, basename: !glob.includes('/') });
}
