import { type Fact, isFile } from './environment.ts';

export interface SystemPromptOptions {
  /**
   * Where the session works. Files of the project, such as AGENTS.md, may be from anybody: they are marked, and rank below
   * the user's messages.
   */
  facts: readonly Fact[];
  /** Instructions of the session's client. They follow the project's files. */
  clientInstructions?: string | undefined;
  /** Replaces the built-in text. The facts and the instructions are still appended. */
  prompt?: string | undefined;
}

const PROMPT = `You are Longhaul, a coding agent. Complete the user's task with your tools, on your own.

- Before you change anything, read the task and the code it touches.
- Work in small steps and test each one. After an error, find its cause, fix it, and test again.
- If the task takes more than two steps, plan them with \`todo\` and keep the list current.
- Older messages may be replaced by a summary, old outputs by a placeholder. Read the originals with \`recall\`, by words or by handle (such as m12.3).
- Don't ask: make reasonable assumptions and state them at the end.
- Change only what the task needs, in the style of the surrounding code. Never work around a failing test.
- You are done when you have seen it work. If something does not work, say so.
- Before a group of calls, say in one sentence what you will do. Call independent tools together.`;

/** Builds the system text. It is short, because it is part of every request and takes room in a small window. */
export function buildSystemPrompt({ facts, clientInstructions, prompt }: SystemPromptOptions): string {
  const lines = facts.filter((fact) => !isFile(fact)).map(({ text }) => text);
  const files = facts.filter(isFile).map(({ text }) => text);
  const fromClient =
    clientInstructions === undefined
      ? []
      : [`# Instructions from the client\n\n${clientInstructions.trim()}`];
  return [prompt ?? PROMPT, lines.join('\n'), ...files, ...fromClient].join('\n\n');
}
