import type { Sandbox } from '../ports/index.ts';
import { agentPrompt, type SessionAgent } from '../prompt/agent-prompt.ts';
import { maxInstructionChars, readInstructionFiles } from '../prompt/instruction-files.ts';
import type { SessionWriter } from '../session/session-writer.ts';

export interface RunSystemOptions {
  agent: SessionAgent;
  sandbox: Sandbox;
  writer: SessionWriter;
  windowTokens: number;
  instructionFiles: readonly string[];
}

/** Makes the system text of a run, each time anew; tells once of instructions that are too long for the window. */
export function runSystemBuilder(options: RunSystemOptions): () => Promise<string> {
  const { agent, sandbox, writer, windowTokens, instructionFiles } = options;
  const { workspacePath, description, files } = sandbox;
  const maxChars = maxInstructionChars(windowTokens);
  let isTold = false;
  return async () => {
    const instructions = await readInstructionFiles(files, instructionFiles, maxChars);
    const cut = instructions.filter((file) => file.isCut).map(({ path }) => path);
    if (cut.length > 0 && !isTold) {
      const message = `${cut.join(', ')}: only the first ${maxChars} characters are part of every request; the model can read the rest.`;
      await writer.announce({ type: 'context:warning', message });
    }
    isTold = true;
    return agentPrompt(agent, { workspacePath, sandbox: description, instructions });
  };
}
