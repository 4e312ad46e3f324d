import { LonghaulError } from '@longhaul/protocol';
import { createPathMatcher } from './path-matcher.ts';

/** Whether the last pattern that matches a path ignores it. Paths are relative to the workspace. */
export type IgnoreMatcher = (path: string, isFolder: boolean) => boolean;

interface Rule {
  ignores: boolean;
  isForFolders: boolean;
  matches: (path: string) => boolean;
}

/** Creates a matcher for patterns of `orderPatterns`, for searches without ripgrep. */
export function createIgnoreMatcher(patterns: readonly string[]): IgnoreMatcher {
  const rules = patterns.flatMap(toRule);
  return (path, isFolder) =>
    rules.findLast((rule) => (isFolder || !rule.isForFolders) && rule.matches(path))?.ignores ?? false;
}

function toRule(pattern: string): Rule[] {
  const isNegated = pattern.startsWith('!');
  const isForFolders = pattern.endsWith('/');
  const glob = pattern.slice(isNegated ? 1 : 0, isForFolders ? -1 : undefined);
  try {
    // In an ignore file, parentheses are literal. With `./`, a glob is never matched against the last name alone.
    const literal = glob.replace(/\\.|[()|]/gs, (found) => (found.length > 1 ? found : `\\${found}`));
    return [{ ignores: !isNegated, isForFolders, matches: createPathMatcher(`.${literal}`) }];
  } catch (thrown) {
    // A pattern that is too long has no effect.
    if (thrown instanceof LonghaulError) return [];
    throw thrown;
  }
}
