export interface SystemPromptOptions {
  /** The workspace as commands see it. */
  workspacePath: string;
  /** Such as `bubblewrap, network on`. */
  sandbox: string;
  /** `YYYY-MM-DD`. */
  date: string;
  tools: readonly string[];
  /** Files of standing instructions found in the workspace, such as AGENTS.md. */
  instructions: readonly { path: string; text: string }[];
  /** Replaces the built-in text; the environment and the instructions still follow. */
  prompt?: string;
}

const PROMPT = `You are Longhaul, a coding agent. You do the user's task with your tools, on your own, to the end.

- Understand first: look at the task and at the code around it before you change anything.
- Work in small steps and test each one. Read an error, find its cause, fix it, run again.
- Keep the plan with \`todo\` when there are more than two steps, and keep it true.
- Older messages may be replaced by a summary, old outputs by a placeholder. Nothing is lost: \`recall\` finds it by words or by handle (such as m12.3).
- Make reasonable assumptions and say so at the end; don't ask.
- Change what the task needs, in the style of the code around it. Never work around a failing test.
- You are done when it works and you have seen it work. If something does not, say so plainly.
- Say what you do in a sentence before a group of calls. Call independent tools together.`;

/** Text before the conversation. Small, since it is part of every request: a small window needs the room. */
export function buildSystemPrompt(options: SystemPromptOptions): string {
  const environment = [
    `Workspace: ${options.workspacePath} (paths are relative to it; nothing outside it can be read or written)`,
    `Sandbox: ${options.sandbox}`,
    `Date: ${options.date}`,
  ].join('\n');
  const instructions = options.instructions.map(
    ({ path, text }) => `# Instructions from ${path}\n\n${text.trim()}`,
  );
  return [options.prompt ?? PROMPT, environment, ...instructions].join('\n\n');
}
