import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { grantable, type LoadedConfig, type ProjectTrust, storeTrust, TrustStore } from '@longhaul/config';
import { visible } from '@longhaul/protocol';
import { readLine } from '../read-line.ts';
import { canAsk } from '../run/confirm.ts';
import type { Terminal } from '../terminal.ts';
import type { TrustAnswer } from './trust-events.ts';
import { ignoredLine, trustPage } from './trust-page.ts';

export interface SettleTrustOptions {
  project: ProjectTrust;
  home: string;
  terminal: Terminal;
  asks: boolean;
  /** Loads the configuration again, with these wants trusted. */
  load: (ids: ReadonlySet<string>) => Promise<LoadedConfig>;
}

/**
 * Asks a person whether to trust a project, and stores a yes. Without a person, or after a no, reports on one line what
 * is ignored. A yes is for what was shown: what has changed since stays untrusted.
 */
export async function settleTrust(
  loaded: LoadedConfig,
  options: SettleTrustOptions,
): Promise<{ loaded: LoadedConfig; answer?: TrustAnswer }> {
  const { project, terminal, asks, home, load } = options;
  const isOpen = project.wants.some(({ refusal, isTrusted }) => refusal === undefined && !isTrusted);
  const isAsked = asks && canAsk(terminal) && isOpen;
  if (!isAsked || !(await isTrusted(project, terminal))) {
    reportIgnored(project, terminal);
    return { loaded, ...(isAsked ? { answer: 'ignored' } : {}) };
  }
  const ids = new Set(grantable(project.wants).map(({ id }) => id));
  if (project.problem === undefined) await storeTrust(project, new TrustStore({ env: terminal.env, home }));
  else terminal.err.write(`longhaul: ${project.problem}\n`);
  const next = await load(ids);
  if (next.project?.wants.some((want) => !want.isTrusted) === true) reportIgnored(next.project, terminal);
  return { loaded: next, answer: 'trusted' };
}

/** The configuration file, or without one, the files that want something. Their hashes follow their names. */
function filesOf({ file, workspace, wants }: ProjectTrust): string[] {
  if (file !== workspace) return [file];
  return wants.flatMap(({ files }) => files.map((name) => join(workspace, name.replace(/ [0-9a-f]+$/, ''))));
}

function reportIgnored(project: ProjectTrust, terminal: Terminal): void {
  terminal.err.write(ignoredLine(project, { isHere: project.workspace === terminal.cwd }));
}

/** Everything but yes, a closed input included, is no. */
async function isTrusted(project: ProjectTrust, terminal: Terminal): Promise<boolean> {
  const { out } = terminal;
  out.write(trustPage(project));
  for (;;) {
    const line = await readLine('Trust it? [y]es, [n]o (ignore it in this run), [s]how the file: ', {
      terminal,
    });
    if (typeof line !== 'string') return false;
    const word = line.trim().toLowerCase();
    if (word === 's' || word === 'show')
      for (const path of filesOf(project)) out.write(visible(await readFile(path, 'utf8')));
    else if (/^(?:y|yes|n|no)$/.test(word)) return word.startsWith('y');
  }
}
