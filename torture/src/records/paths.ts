import { join } from 'node:path';

/** Files of the workspace that its `.gitignore` names: records of the checks, and the end of the task. */
export const UNRECORDED_FILES = ['effects.jsonl', 'ticks.jsonl', 'finish'];

/** Paths of a tortured session's files. */
export interface SessionPaths {
  database: string;
  blobs: string;
  /** What is known of the workspace's files. */
  fileCache: string;
  workspace: string;
  /** In the workspace, so that commands in a sandbox can write it too. */
  effects: string;
  ticks: string;
  /** When this file exists, the model should finish. */
  finish: string;
  queue: string;
  cancels: string;
  lives: string;
  /** The offset of the clock that the session's processes see. */
  clock: string;
  journal: string;
  received(life: number): string;
  commands: string;
  /** Reverts that were found unfinished. */
  reverts: string;
  /** Where the newest recorded files are written for the comparison. */
  restored: string;
  ofCommand(number: number): string;
  /** Configuration of the commands: `XDG_CONFIG_HOME`. */
  configuration: string;
  importFile(number: number): string;
  /** The folder of a fork with files. */
  copy(number: number): string;
}

export function sessionPaths(folder: string): SessionPaths {
  const workspace = join(folder, 'workspace');
  const records = join(folder, 'records');
  return {
    database: join(folder, 'store', 'longhaul.db'),
    blobs: join(folder, 'store', 'blobs'),
    fileCache: join(folder, 'store', 'workspaces'),
    workspace,
    effects: join(workspace, 'effects.jsonl'),
    ticks: join(workspace, 'ticks.jsonl'),
    finish: join(workspace, 'finish'),
    queue: join(records, 'queue.jsonl'),
    cancels: join(records, 'cancels.jsonl'),
    lives: join(records, 'lives.jsonl'),
    clock: join(folder, 'clock'),
    journal: join(records, 'model.jsonl'),
    received: (life) => join(records, `received.${life}.jsonl`),
    commands: join(records, 'commands.jsonl'),
    reverts: join(records, 'reverts.jsonl'),
    restored: join(folder, 'restored'),
    ofCommand: (number) => join(records, `command.${number}.jsonl`),
    configuration: join(folder, 'configuration'),
    copy: (number) => join(folder, 'copies', String(number)),
    importFile: (number) => join(folder, 'imports', `${number}.jsonl`),
  };
}
