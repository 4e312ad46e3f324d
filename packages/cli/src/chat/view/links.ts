import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isLinkable, link } from '../../render/link.ts';
import type { Links } from '../../render/markdown.ts';
import type { Terminal } from '../../terminal.ts';
import { detectCapabilities } from '../pi-tui.ts';

const ADDRESS = /^https?:\/\/[^@]+$/;
/** A path as models write it: `src/a.ts`, `src/a.ts:12`, `src/a.ts:12:3`. */
const PATH = /^((?:[\w.-]+\/)*[\w-][\w.-]*)(?::\d+){0,2}$/;

export interface LinksOptions {
  env: Terminal['env'];
  /** The folder of the session on this machine, if it is on this machine. */
  folder: () => string | undefined;
}

/** Returns what makes links of addresses and of files of the workspace. Undefined: the terminal does not take links. */
export function createLinks({ env, folder }: LinksOptions): Links | undefined {
  if (!takesLinks(env)) return undefined;
  return {
    address: (text) => (ADDRESS.test(text) && isLinkable(text) ? (shown) => link(shown, text) : undefined),
    file(text) {
      const root = folder();
      const path = PATH.exec(text)?.[1];
      if (root === undefined || path === undefined || isAbsolute(path) || path.includes('..'))
        return undefined;
      const file = join(root, path);
      const target = `file://${hostname()}${encodeURI(file)}`;
      return isLinkable(target) && existsSync(file) ? (shown) => link(shown, target) : undefined;
    },
  };
}

/** tmux has passed links on since 3.4, if the terminal around it takes them, and otherwise removes them. */
function takesLinks({ TMUX, TERM = '', TERM_PROGRAM, TERM_PROGRAM_VERSION = '' }: Terminal['env']): boolean {
  const [major = 0, minor = 0] = TERM_PROGRAM_VERSION.split('.').map(Number.parseFloat);
  const passesOn = TERM_PROGRAM === 'tmux' && (major > 3 || (major === 3 && minor >= 4));
  return TMUX !== undefined || TERM.startsWith('tmux')
    ? passesOn
    : detectCapabilities(() => false).hyperlinks;
}
