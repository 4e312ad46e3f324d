import type { WorkspaceFiles } from '@longhaul/core';

/**
 * Finds files and lines in a workspace, for `glob` and `grep`. Both implementations (ripgrep, and plain JavaScript
 * where it is missing) skip `.git` and `node_modules`, follow no links, and return paths in order.
 */
export interface WorkspaceSearch {
  /** Yields the paths of files at or below `path`, relative to the workspace. */
  listFiles(files: WorkspaceFiles, request: { path: string; signal: AbortSignal }): AsyncIterable<string>;
  /**
   * Yields matching lines and their context, file by file.
   *
   * @throws {LonghaulError} `invalid_request` if the pattern is not a valid regular expression, with the position.
   */
  findLines(files: WorkspaceFiles, request: FindLinesRequest): AsyncIterable<FoundLine>;
}

export interface FindLinesRequest {
  pattern: string;
  /** A file or folder: resolved and relative to the workspace. */
  path: string;
  /**
   * A glob. Without a slash, it is matched against names; otherwise against paths relative to `path` or to the
   * workspace. `!` excludes.
   */
  include?: string;
  ignoreCase: boolean;
  /** Lines before and after each match. */
  contextLines: number;
  /** What is beyond is only counted. */
  shown: ShownLimit;
  signal: AbortSignal;
}

/** How much of what a search finds is shown: matches with their context, or all matches in so many files. */
export interface ShownLimit {
  unit: 'matches' | 'files';
  most: number;
}

export interface FoundLine {
  path: string;
  /** From 1. */
  line: number;
  /** The line; a long one is cut. Can be empty if the line is only counted. */
  text: string;
  isMatch: boolean;
}

/** Characters shown of one line. */
export const MAX_FOUND_LINE_CHARS = 400;

/** Whether a folder is skipped below the searched folder. The searched folder itself is never skipped. */
export function isSkippedFolder(name: string): boolean {
  return name === '.git' || name === 'node_modules';
}

/** Returns both readings of an include pattern with a slash: relative to the searched folder, and to the workspace. */
export function expandInclude(include: string, path: string): string[] {
  const negated = include.startsWith('!');
  const glob = (negated ? include.slice(1) : include).replace(/^\.?\//, '');
  const readings = glob.includes('/') && path !== '' ? [glob, `${path}/${glob}`] : [glob];
  return readings.map((reading) => (negated ? `!${reading}` : reading));
}

/** Returns the message for an invalid pattern, the same for both implementations. */
export function badPattern(reason: string): string {
  return `\`pattern\` is not a valid regular expression. Escape special characters with \\ to search for them. ${reason}`;
}
