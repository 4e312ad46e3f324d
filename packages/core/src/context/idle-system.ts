import type { Session } from '@longhaul/protocol';
import type { BlobStore, SkillSource } from '../ports/index.ts';
import { agentPrompt, type SessionAgent } from '../prompt/agent-prompt.ts';
import { type Environment, factsOf } from '../prompt/environment.ts';
import { hostFiles } from '../prompt/host-files.ts';
import { type InstructionFile, readInstructionFiles } from '../prompt/instruction-files.ts';
import { dayOf } from '../prompt/session-date.ts';
import { loadEnvironment } from '../session/session-environment.ts';

export interface IdleSystemOptions {
  agent: SessionAgent;
  instructionFiles: readonly string[];
  skills?: SkillSource;
  outsideInstructions?: ((workspace: string) => Promise<readonly InstructionFile[]>) | undefined;
  blobs: BlobStore;
}

/** Builds the system text of a session without opening a sandbox. The environment is that of the session's requests. */
export async function idleSystemText(session: Session, options: IdleSystemOptions): Promise<string> {
  const { agent, blobs } = options;
  const environment = (await loadEnvironment(session, blobs)) ?? (await unopened(session.workspace, options));
  return agentPrompt(agent, factsOf(environment, { date: dayOf(session.createdAt) }));
}

/** Reads the environment of a session that has not run yet, as far as that is possible without its sandbox. */
async function unopened(
  workspace: string,
  { instructionFiles, outsideInstructions, skills }: IdleSystemOptions,
): Promise<Environment> {
  const [outside = [], own] = await Promise.all([
    outsideInstructions?.(workspace),
    readInstructionFiles(hostFiles(workspace), instructionFiles),
  ]);
  return {
    workspacePath: workspace,
    sandbox: 'not open',
    instructions: [...outside, ...own],
    skills: skills?.skills,
  };
}
