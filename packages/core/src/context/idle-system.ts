import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Session } from '@longhaul/protocol';
import { agentPrompt, type SessionAgent } from '../prompt/agent-prompt.ts';
import { readInstructionFiles } from '../prompt/instruction-files.ts';

export interface IdleSystemOptions {
  agent: SessionAgent;
  instructionFiles: readonly string[];
}

/** The system text as a run would have it, without opening a sandbox: the workspace's files are read directly. */
export async function idleSystemText(session: Session, options: IdleSystemOptions): Promise<string> {
  const { agent, instructionFiles } = options;
  const instructions = await readInstructionFiles(plainFiles(session.workspace), instructionFiles);
  return agentPrompt(agent, { workspacePath: session.workspace, sandbox: 'not open', instructions });
}

/** Reads below a folder; what a link leads out of it is as if it were not there. */
function plainFiles(workspace: string): Parameters<typeof readInstructionFiles>[0] {
  const inside = async (path: string): Promise<string | undefined> => {
    const [root, file] = await Promise.all([real(workspace), real(join(workspace, path))]);
    return root !== undefined && file?.startsWith(root + sep) ? file : undefined;
  };
  return {
    async stat(path) {
      const file = await inside(path);
      if (file === undefined) return undefined;
      await using handle = await open(file);
      const { size, mtimeMs } = await handle.stat();
      const kind = (await handle.stat()).isFile() ? 'file' : 'other';
      return { kind, size, modifiedAt: mtimeMs };
    },
    async read(path, range = { start: 0, length: 0 }) {
      const file = await inside(path);
      if (file === undefined) return new Uint8Array();
      await using handle = await open(file);
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

async function real(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    // Not there, or not to be read: the prompt is made without it, as a run would.
    return undefined;
  }
}
