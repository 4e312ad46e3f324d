import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Session } from '@longhaul/protocol';
import type { BlobStore } from '../ports/index.ts';
import { agentPrompt, type SessionAgent } from '../prompt/agent-prompt.ts';
import { type Environment, factsOf } from '../prompt/environment.ts';
import { readInstructionFiles } from '../prompt/instruction-files.ts';
import { dayOf } from '../prompt/session-date.ts';
import { loadEnvironment } from '../session/session-environment.ts';

export interface IdleSystemOptions {
  agent: SessionAgent;
  instructionFiles: readonly string[];
  blobs: BlobStore;
}

/** Builds the system text of a session without opening a sandbox. The environment is that of the session's requests. */
export async function idleSystemText(session: Session, options: IdleSystemOptions): Promise<string> {
  const { agent, instructionFiles, blobs } = options;
  const environment =
    (await loadEnvironment(session, blobs)) ?? (await unopened(session.workspace, instructionFiles));
  return agentPrompt(agent, factsOf(environment, { date: dayOf(session.createdAt) }));
}

/** Reads the environment of a session that has not run yet, as far as that is possible without its sandbox. */
async function unopened(workspace: string, instructionFiles: readonly string[]): Promise<Environment> {
  const instructions = await readInstructionFiles(plainFiles(workspace), instructionFiles);
  return { workspacePath: workspace, sandbox: 'not open', instructions };
}

/** Opening a pipe must not wait for a writer. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** Reads files below a folder. A path that leads out of it, also by a link, is treated as missing. */
function plainFiles(workspace: string): Parameters<typeof readInstructionFiles>[0] {
  const inside = async (path: string): Promise<string | undefined> => {
    const [root, file] = await Promise.all([
      realpathOrUndefined(workspace),
      realpathOrUndefined(join(workspace, path)),
    ]);
    return root !== undefined && file?.startsWith(root + sep) ? file : undefined;
  };
  return {
    async stat(path) {
      const file = await inside(path);
      if (file === undefined) return undefined;
      await using handle = await open(file, READ);
      const stats = await handle.stat();
      return { kind: stats.isFile() ? 'file' : 'other', size: stats.size, modifiedAt: stats.mtimeMs };
    },
    async read(path, range = { start: 0, length: 0 }) {
      const file = await inside(path);
      if (file === undefined) return new Uint8Array();
      await using handle = await open(file, READ);
      const { buffer, bytesRead } = await handle.read(
        Buffer.alloc(range.length),
        0,
        range.length,
        range.start,
      );
      return buffer.subarray(0, bytesRead);
    },
  };
}

async function realpathOrUndefined(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    // The file is missing or not accessible. The system text is built without it.
    return undefined;
  }
}
