import type { Config } from '@longhaul/config';
import type { ProcessEnding, ProcessPlace, RecordProcess, Sandbox } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { requireFolder } from '../session/require-folder.ts';
import { requireOwnFilesOutside } from '../session/require-own-files-outside.ts';
import { copyOptions } from './copy-options.ts';
import { ownPaths } from './own-paths.ts';
import { passedEnvironment } from './passed-environment.ts';
import { ownProgramFolders } from './program-folders.ts';
import { requireLocal } from './require-local.ts';

export interface OpenSandboxOptions {
  session: Pick<Session, 'id' | 'workspace'>;
  signal?: AbortSignal;
  env: Readonly<Record<string, string | undefined>>;
  /** Variables of an MCP server, in place of those that commands get. */
  serverVariables?: Readonly<Record<string, string>>;
  recordProcess?: RecordProcess;
}

/** Opens the configured sandbox for a session's workspace. The Node of this process is on the PATH of its commands. */
export async function openSandbox(
  settings: Config,
  { session, signal, env, serverVariables, recordProcess }: OpenSandboxOptions,
): Promise<Sandbox> {
  const { sandbox: config } = settings;
  requireLocal(config);
  await requireFolder(session);
  await requireOwnFilesOutside(session.workspace, { config: { sandbox: config }, env });
  const { chooseSandbox } = await import('@longhaul/sandbox');
  return chooseSandbox(config.driver, {
    sessionId: session.id,
    workspace: session.workspace,
    network: config.network,
    memoryMb: config.memoryMb,
    pids: config.pids,
    cpus: config.cpus,
    image: config.image,
    ...(serverVariables === undefined ? passedEnvironment(settings, env) : { env: serverVariables }),
    keepProcesses: config.keepProcesses,
    refusedPaths: ownPaths(settings, env),
    programFolders: ownProgramFolders(),
    ...(await copyOptions(settings, session)),
    recordProcess,
    signal,
  });
}

/** Ends a command of an earlier run with the driver that started it. */
export async function endProcess(place: ProcessPlace): Promise<ProcessEnding> {
  const { createSandboxDriver } = await import('@longhaul/sandbox');
  return createSandboxDriver(place.driver).end(place);
}
