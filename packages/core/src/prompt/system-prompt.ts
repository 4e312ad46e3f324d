import { type Fact, isText } from './environment.ts';
import { promptText } from './prompt-text.ts';

/** What the system prompt contains. */
export interface SystemPromptOptions {
  /**
   * Where the session works. Files of the project, such as AGENTS.md, may be from anybody: they are marked, and rank
   * below the user's messages.
   */
  facts: readonly Fact[];
  /** Names of the agent's tools. The built-in text mentions no others. */
  tools: readonly string[];
  /** Instructions of the session's client. They follow the project's files. */
  clientInstructions?: string | undefined;
  /** Replaces the built-in text. The facts and the instructions are still appended. */
  prompt?: string | undefined;
}

/** Builds the system text. It is short, because it is part of every request and takes room in a small window. */
export function buildSystemPrompt({ facts, tools, clientInstructions, prompt }: SystemPromptOptions): string {
  const lines = facts.filter((fact) => !isText(fact)).map(({ text }) => text);
  const files = facts.filter(isText).map(({ text }) => text);
  const fromClient =
    clientInstructions === undefined
      ? []
      : [`# Instructions from the client\n\n${clientInstructions.trim()}`];
  const environment = lines.length === 0 ? [] : [`# Environment\n\n${lines.join('\n')}`];
  return [prompt ?? promptText(new Set(tools)), ...environment, ...files, ...fromClient].join('\n\n');
}
