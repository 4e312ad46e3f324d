import { posix } from 'node:path';

/**
 * `@docs/style.md` after a space or at the start of a line. Other kinds of files, such as `.env`, are never included.
 */
const INCLUDE = /(?:^|\s)@([\w.][\w./-]*\.(?:md|mdc|txt))(?![\w/-])/gi;

/**
 * Returns the paths that an instruction file includes with `@path`, outside of code. A path is relative to the folder
 * of the file. A path that leads out of the workspace begins with `..`.
 */
export function includedPaths(text: string, path: string): string[] {
  const matches = withoutCode(text).matchAll(INCLUDE);
  const paths = Array.from(matches, ([, name = '']) => posix.join(posix.dirname(path), name));
  return [...new Set(paths)];
}

function withoutCode(text: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const [, mark] = /^\s{0,3}(```|~~~)/.exec(line) ?? [];
    if (fence === undefined && mark === undefined) lines.push(line.replaceAll(/`[^`]*`/g, '` `'));
    if (fence === undefined) fence = mark;
    else if (mark === fence) fence = undefined;
  }
  return lines.join('\n');
}
