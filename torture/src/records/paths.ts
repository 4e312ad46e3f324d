import { join } from 'node:path';

/** Where everything of one tortured session stands. */
export interface SessionPaths {
  database: string;
  blobs: string;
  workspace: string;
  /** In the workspace, where commands in a sandbox can write too. */
  effects: string;
  /** When it is there, the work shall come to its end. */
  finish: string;
  queue: string;
  cancels: string;
  lives: string;
  journal: string;
  received(life: number): string;
}

export function sessionPaths(folder: string): SessionPaths {
  const workspace = join(folder, 'workspace');
  const records = join(folder, 'records');
  return {
    database: join(folder, 'store', 'longhaul.db'),
    blobs: join(folder, 'store', 'blobs'),
    workspace,
    effects: join(workspace, 'effects.jsonl'),
    finish: join(workspace, 'finish'),
    queue: join(records, 'queue.jsonl'),
    cancels: join(records, 'cancels.jsonl'),
    lives: join(records, 'lives.jsonl'),
    journal: join(records, 'model.jsonl'),
    received: (life) => join(records, `received.${life}.jsonl`),
  };
}
