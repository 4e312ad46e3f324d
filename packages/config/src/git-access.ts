import { type GitSource, isGitRef, LonghaulError, parseGitAddress } from '@longhaul/protocol';

/** Which repositories may be cloned for sessions. */
export interface GitConfig {
  /** Hosts that clients of a server may name. */
  hosts: readonly string[];
  /** By host. */
  tokens: Readonly<Record<string, string>>;
  /** Whether clients of a server may name folders, and addresses with `http`. */
  local: boolean;
}

/**
 * Checks a repository and a branch, tag or commit that a person or a client names.
 *
 * @throws {LonghaulError} `invalid_request`. The message does not repeat the address, which may contain a password.
 */
export function requireGitSource({ url, ref }: GitSource): void {
  if (parseGitAddress(url) === undefined)
    throw new LonghaulError(
      'invalid_request',
      'The address of the repository must be https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH or a folder, without a password, a query or spaces. Tokens belong into the configuration (git.tokens).',
    );
  if (ref !== undefined && !isGitRef(ref))
    throw new LonghaulError(
      'invalid_request',
      `${JSON.stringify(ref.slice(0, 80))} is no name of a branch or a tag, and no id of a commit.`,
    );
}

/**
 * Checks a repository that a client of a server names: the server can reach hosts that the client cannot.
 *
 * @throws {LonghaulError} `invalid_request`, `workspace_not_allowed`.
 */
export function requireGitAccess(source: GitSource, { hosts, local }: GitConfig): void {
  requireGitSource(source);
  const { protocol, host } = parseGitAddress(source.url) ?? { protocol: 'file', host: '' };
  if (protocol === 'file' && !local)
    throw new LonghaulError(
      'workspace_not_allowed',
      'This server clones no repositories from its own folders (git.local in its configuration).',
    );
  if (protocol === 'http' && !local)
    throw new LonghaulError(
      'workspace_not_allowed',
      'This server does not clone over http (git.local in its configuration). Use https.',
    );
  if (protocol !== 'file' && !hosts.includes(host))
    throw new LonghaulError(
      'workspace_not_allowed',
      `This server clones no repositories from ${host}. Add the host to git.hosts in its configuration.`,
    );
}
