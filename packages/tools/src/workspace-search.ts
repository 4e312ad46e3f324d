import type { WorkspaceFiles } from '@longhaul/core';

/**
 * Finds files and lines in a workspace, for `glob` and `grep`. Both ways to do it (ripgrep, and plain JavaScript where it is
 * missing) skip `.git` and `node_modules`, never follow a link, and give paths in order.
 */
export interface WorkspaceSearch {
  /** Paths of files at or below `path`, relative to the workspace. */
  listFiles(files: WorkspaceFiles, request: { path: string; signal: AbortSignal }): AsyncIterable<string>;
  /**
   * Matching lines and the context around them, file by file.
   *
   * @throws {LonghaulError} `invalid_request` for a pattern that is no regular expression, with the place.
   */
  findLines(files: WorkspaceFiles, request: FindLinesRequest): AsyncIterable<FoundLine>;
}

export interface FindLinesRequest {
  pattern: string;
  /** Relative to the workspace, resolved; a file or a folder. */
  path: string;
  /** A glob: without a slash it is matched against names, else against paths below `path` or the workspace. `!` excludes. */
  include?: string;
  ignoreCase: boolean;
  /** Lines before and after each match. */
  contextLines: number;
  signal: AbortSignal;
}

export interface FoundLine {
  path: string;
  /** From 1. */
  line: number;
  /** Long lines are cut. */
  text: string;
  isMatch: boolean;
}

/** Characters of one line that are shown. */
export const MAX_FOUND_LINE_CHARS = 400;

/** Skipped below a searched folder; one that is named itself is searched. */
export function isSkippedFolder(name: string): boolean {
  return name === '.git' || name === 'node_modules';
}

/** Both readings of an include pattern with a slash: relative to the searched folder, and to the workspace. */
export function expandInclude(include: string, path: string): string[] {
  const negated = include.startsWith('!');
  const glob = (negated ? include.slice(1) : include).replace(/^\.?\//, '');
  const readings = glob.includes('/') && path !== '' ? [glob, `${path}/${glob}`] : [glob];
  return readings.map((reading) => (negated ? `!${reading}` : reading));
}

/** The same words whoever compiled the pattern. */
export function badPattern(reason: string): string {
  return `\`pattern\` is not a valid regular expression. Escape special characters with \\ to search for them. ${reason}`;
}
