import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitSource, LonghaulError, parseGitAddress } from '@longhaul/protocol';
import { runGit } from './run-git.ts';

export interface CloneOptions {
  /** Contains a bare repository for each address, and nothing else. It may be deleted at any time. */
  cacheFolder: string;
  /** Tokens by host, for `https`. */
  tokens: Readonly<Record<string, string>>;
}

export interface CloneRequest extends GitSource {
  /** Is made. Its parent exists. */
  folder: string;
  /** Names the request among those of the machine. */
  id: string;
  /** The commit, if it is known. The name of `ref` is then that of the branch only. */
  commit: string | undefined;
  /** Whether the files of the commit are written. */
  isCheckedOut: boolean;
  signal: AbortSignal;
}

/**
 * Clones a repository with the help of a cache: of what was fetched before, only news are fetched. The clone shares
 * nothing with the cache, because an agent could change it.
 *
 * @throws {LonghaulError} `invalid_request`, with what git reports; `cancelled`.
 */
export async function cloneRepository(request: CloneRequest, options: CloneOptions): Promise<void> {
  const { url, folder, isCheckedOut, signal } = request;
  const cached = await fetchIntoCache(request, options);
  await mkdir(folder, { mode: 0o700 });
  const git = (args: readonly string[], protocols?: string) => runGit(args, { folder, protocols, signal });
  const branch = branchOf(request.ref);
  await git(['init', '--quiet', '--template=', `--initial-branch=${branch}`]);
  await git(
    ['fetch', '--quiet', '--no-tags', cached.folder, `+${cached.ref}:refs/remotes/origin/${branch}`],
    'file',
  );
  await git(['remote', 'add', 'origin', url]);
  await git(['update-ref', `refs/heads/${branch}`, `refs/remotes/origin/${branch}^{commit}`]);
  await git(isCheckedOut ? ['checkout', '--quiet', '--force', branch] : ['read-tree', 'HEAD']);
}

/** Each request has a ref of its own, so that processes of a machine can fetch at the same time. */
async function fetchIntoCache(
  { url, ref, commit, id, signal }: CloneRequest,
  { cacheFolder, tokens }: CloneOptions,
): Promise<{ folder: string; ref: string }> {
  const address = parseGitAddress(url);
  if (address === undefined)
    throw new LonghaulError('invalid_request', 'The address of the repository is no address of git.');
  const folder = join(cacheFolder, `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.git`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await runGit(['init', '--quiet', '--bare', '--template='], { folder, signal });
  const own = `refs/longhaul/${id}`;
  const wanted = commit ?? ref ?? 'HEAD';
  const token = address.protocol === 'https' ? tokens[address.host] : undefined;
  const remote = { folder, signal, protocols: address.protocol, settings: authorization(url, token) };
  try {
    await runGit(fetchArgs(url, wanted, own), remote);
  } catch (error) {
    // Some servers give commits only with the branch that contains them.
    if (commit === undefined || signal.aborted) throw named(error, url, wanted);
    await runGit(fetchArgs(url, 'refs/heads/*', `refs/longhaul/heads-${id}/*`), remote).catch(
      (each: unknown) => {
        throw named(each, url, wanted);
      },
    );
    await runGit(['update-ref', own, `${commit}^{commit}`], { folder, signal }).catch(() => {
      throw named(error, url, wanted);
    });
  }
  return { folder, ref: own };
}

function fetchArgs(url: string, from: string, to: string): string[] {
  return [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-auto-gc',
    '--',
    url,
    `+${from}:${to}`,
  ];
}

function authorization(url: string, token: string | undefined): Record<string, string> {
  if (token === undefined) return {};
  const credentials = Buffer.from(`x-access-token:${token}`).toString('base64');
  return { [`http.${new URL(url).origin}/.extraHeader`]: `Authorization: Basic ${credentials}` };
}

/** A commit gets a branch of this name. */
function branchOf(ref: string | undefined): string {
  return ref === undefined || /^[\da-f]{7,64}$/.test(ref)
    ? 'main'
    : ref.replace(/^refs\/(?:heads|tags)\//, '');
}

function named(error: unknown, url: string, wanted: string): unknown {
  if (!(error instanceof LonghaulError) || error.code !== 'invalid_request') return error;
  return new LonghaulError(
    'invalid_request',
    `git could not fetch ${wanted} of ${url}: ${error.message}. Check the address and the name, and whether this machine may read the repository.`,
  );
}
