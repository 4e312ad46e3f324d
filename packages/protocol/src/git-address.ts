export type GitProtocol = 'https' | 'http' | 'ssh' | 'file';

/** Where a git repository is. */
export interface GitAddress {
  protocol: GitProtocol;
  /** Without a port. Empty for files of this machine. */
  host: string;
}

const MAX_CHARS = 2_048;
const HOST = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])$/i;
/** Protocol, user, host, port and path. What has a password, a query or a fragment does not match. */
const FULL = /^([a-z]+):\/\/(?:(\w[\w.-]*)@)?([^/@:\\[\]]*|\[[^\]]*\])(?::\d{1,5})?(\/[^?#\\]*)$/;
/** The short form of SSH: `git@host:path`. */
const SHORT_SSH = /^([\w][\w.-]*)@([\w.-]+):([^-:][^:]*)$/;
const BLANK_OR_CONTROL = /[\s\p{C}]/u;

/**
 * Reads the address of a git repository. Undefined: git is not given it, because it is none of the usual ones. Such an
 * address could start a program (`ext::`), be an option (`-…`), or contain a password, which would get into logs.
 */
export function parseGitAddress(url: string): GitAddress | undefined {
  if (url.length > MAX_CHARS || BLANK_OR_CONTROL.test(url) || url.startsWith('-')) return undefined;
  if (url.startsWith('/')) return { protocol: 'file', host: '' };
  const short = SHORT_SSH.exec(url);
  if (short !== null) return checked('ssh', short[2] ?? '');
  const [, protocol = '', user, host = '', path = ''] = FULL.exec(url) ?? [];
  if (path.length < 2) return undefined;
  if (protocol === 'file') return host === '' && user === undefined ? { protocol, host } : undefined;
  if (protocol === 'ssh') return checked(protocol, host);
  return (protocol === 'https' || protocol === 'http') && user === undefined
    ? checked(protocol, host)
    : undefined;
}

/** Whether a text can be given to git as the name of a branch or a tag, or as the id of a commit. */
export function isGitRef(ref: string): boolean {
  return /^[\p{L}\d_][\p{L}\d_./@+#-]{0,250}$/u.test(ref) && !/\.\.|\/\/|\/\.|@\{|\.lock$|[./]$/.test(ref);
}

function checked(protocol: GitProtocol, host: string): GitAddress | undefined {
  return HOST.test(host) ? { protocol, host: host.toLowerCase() } : undefined;
}
