/** The folder with its final `/`, and what stands in it. */
export function splitPath(path: string): { folder: string; name: string } {
  const slash = path.lastIndexOf('/');
  return slash === -1
    ? { folder: './', name: path }
    : { folder: path.slice(0, slash + 1), name: path.slice(slash + 1) };
}

/** One key for the ways to write a path: from the root of the workspace, from here, or from the root. */
export function fileKey(path: string): string {
  return path
    .replace(/^\/?workspace\//, '')
    .replace(/^(?:\.\/)+/, '')
    .replace(/^\/+/, '');
}
