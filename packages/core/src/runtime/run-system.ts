import type { Sandbox } from '../ports/index.ts';
import { agentPrompt, type SessionAgent } from '../prompt/agent-prompt.ts';
import { maxInstructionChars, readInstructionFiles } from '../prompt/instruction-files.ts';
import { firstDay } from '../prompt/session-date.ts';
import type { SessionWriter } from '../session/session-writer.ts';

export interface RunSystemOptions {
  agent: SessionAgent;
  sandbox: Sandbox;
  writer: SessionWriter;
  windowTokens: number;
  instructionFiles: readonly string[];
}

/**
 * Returns a function that builds the system text of a run. Its first call warns of instruction files that are too long
 * for the window.
 */
export function runSystemBuilder(options: RunSystemOptions): () => Promise<string> {
  const { agent, sandbox, writer, windowTokens, instructionFiles } = options;
  const { workspacePath, description, files } = sandbox;
  const maxChars = maxInstructionChars(windowTokens);
  let hasWarned = false;
  return async () => {
    const instructions = await readInstructionFiles(files, instructionFiles, maxChars);
    const cut = instructions.filter((file) => file.isCut).map(({ path }) => path);
    if (cut.length > 0 && !hasWarned) {
      const message = `${cut.join(', ')}: only the first ${maxChars} characters are in the system text. The model can read the rest.`;
      await writer.announce({ type: 'context:warning', message });
    }
    hasWarned = true;
    const date = await firstDay(writer);
    return agentPrompt(agent, { workspacePath, sandbox: description, date, instructions });
  };
}
