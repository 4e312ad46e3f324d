/** Splits a path into its folder, with the final `/`, and the name in it. */
export function splitPath(path: string): { folder: string; name: string } {
  const slash = path.lastIndexOf('/');
  return slash === -1
    ? { folder: './', name: path }
    : { folder: path.slice(0, slash + 1), name: path.slice(slash + 1) };
}

/** A path of Windows: with a drive, of a network, or with `\` between names only. */
const OF_WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\\w|[\w.@~-]+(?:\\[\w.@~-]+)+$)/;

/** Returns a path with `/` between its names. Windows accepts both. */
export function withSlashes(path: string): string {
  return OF_WINDOWS.test(path) ? path.replaceAll('\\', '/') : path;
}

/** @param path With slashes. */
export function isAbsolutePath(path: string): boolean {
  return /^(?:\/|[A-Za-z]:\/)/.test(path);
}

/** Returns one key for all spellings of a path: from the workspace's root, from the current folder, or absolute. */
export function fileKey(path: string): string {
  return withSlashes(path)
    .replace(/^\/?workspace\//, '')
    .replace(/^(?:\.\/)+/, '')
    .replace(/^\/+/, '');
}
