/** Splits a path into its folder, with the final `/`, and the name in it. */
export function splitPath(path: string): { folder: string; name: string } {
  const slash = path.lastIndexOf('/');
  return slash === -1
    ? { folder: './', name: path }
    : { folder: path.slice(0, slash + 1), name: path.slice(slash + 1) };
}

/** Returns one key for all spellings of a path: from the workspace's root, from the current folder, or absolute. */
export function fileKey(path: string): string {
  return path
    .replace(/^\/?workspace\//, '')
    .replace(/^(?:\.\/)+/, '')
    .replace(/^\/+/, '');
}
