import { toRewriter } from './ignore-files.ts';

export { createIgnoreMatcher, type IgnoreMatcher } from './ignore-matcher.ts';

/**
 * Returns the lines of an ignore file in `folder` as patterns for `createIgnoreMatcher`. Braces are literal, as in git;
 * for ripgrep they are not.
 */
export function ignorePatterns(folder: string, lines: readonly string[]): string[] {
  return lines.map(withLiteralBraces).flatMap(toRewriter(folder));
}

function withLiteralBraces(line: string): string {
  return line.replace(/\\.|[{}]/gs, (found) => (found.length > 1 ? found : `\\${found}`));
}
