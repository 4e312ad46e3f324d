import { requireGitSource } from '@longhaul/config';
import type { GitSource } from '@longhaul/protocol';
import { usage } from '../command-line/parse-flags.ts';

interface GitFlags {
  git?: string | undefined;
  ref?: string | undefined;
  session?: string | undefined;
  resume?: boolean | undefined;
}

/**
 * Returns the repository that the flags of a run name.
 *
 * @throws {LonghaulError} `usage`, `invalid_request`
 */
export function gitOf({ git: url, ref, session, resume }: GitFlags): GitSource | undefined {
  if (url === undefined) {
    if (ref !== undefined) throw usage('--ref names a branch of a repository. Add --git URL.', 'run');
    return undefined;
  }
  if (session !== undefined || resume === true)
    throw usage('--git begins a new session. Leave out --git to continue one.', 'run');
  requireGitSource({ url, ref });
  return { url, ref };
}
