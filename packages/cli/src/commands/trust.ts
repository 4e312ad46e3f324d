import { resolve } from 'node:path';
import { grantable, loadConfig, type ProjectTrust, storeTrust, TrustStore } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
import { TRUST_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { existingFolder, homeOf } from '../compose/load-settings.ts';
import { agrees } from '../run/confirm.ts';
import type { Terminal } from '../terminal.ts';
import { trustPage } from '../trust/trust-page.ts';

/** `longhaul trust`: shows what the project's file of a folder wants, and stores or withdraws trust in it. */
export async function trust(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'trust', TRUST_FLAGS);
  const [folder = '.', ...others] = positionals;
  if (others.length > 0) throw usage('Name one folder: longhaul trust FOLDER.', 'trust');
  if (values.show && values.revoke) throw usage('Use --show or --revoke, not both.', 'trust');
  const { env } = terminal;
  const home = homeOf(terminal);
  const cwd = await existingFolder(resolve(terminal.cwd, folder));
  const { project } = await loadConfig({ cwd, env, home });
  const store = new TrustStore({ env, home });
  const json = values.json === true;
  if (values.revoke) return revoke(project?.workspace ?? cwd, { store, terminal, json });
  if (project === undefined) {
    terminal.out.write(
      json ? `${JSON.stringify({ wants: [] })}\n` : `There is no longhaul.yml for ${cwd}.\n`,
    );
    return 0;
  }
  if (!json) terminal.out.write(trustPage(project));
  if (!values.show) await allow(project, { store, terminal, yes: values.yes });
  if (json) terminal.out.write(`${JSON.stringify(values.show ? project : afterwards(project))}\n`);
  return 0;
}

interface Where {
  store: TrustStore;
  terminal: Terminal;
}

async function allow(
  project: ProjectTrust,
  { store, terminal, yes }: Where & { yes: boolean | undefined },
): Promise<void> {
  if (grantable(project.wants).length === 0 || project.wants.every(({ isTrusted }) => isTrusted)) return;
  if (project.problem !== undefined) throw new LonghaulError('usage', project.problem);
  if (!(await agrees('Trust this?', { yes, terminal, command: 'trust' })))
    throw new LonghaulError('cancelled', 'Nothing was trusted.');
  await storeTrust(project, store);
}

function afterwards(project: ProjectTrust): ProjectTrust {
  const wants = project.wants.map((want) => ({ ...want, isTrusted: want.refusal === undefined }));
  return { ...project, wants };
}

async function revoke(
  workspace: string,
  { store, terminal, json }: Where & { json: boolean },
): Promise<number> {
  const revoked = await store.remove(workspace);
  const text = revoked ? `${workspace} is no longer trusted.` : `${workspace} was not trusted.`;
  terminal.out.write(json ? `${JSON.stringify({ workspace, revoked })}\n` : `${text}\n`);
  return 0;
}
