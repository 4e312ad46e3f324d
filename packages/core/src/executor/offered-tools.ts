import { type EventPayload, isTextList, type Message } from '@longhaul/protocol';
import type { ToolSchema } from '../ports/model-driver.ts';
import type { Tool } from '../ports/tool.ts';
import { createToolFinder, type FindTool, matchTools, shownTools } from '../ports/tool-set.ts';
import { describeMissingTool } from './missing-tool.ts';

export interface OfferedToolsOptions {
  /** All tools of the agent. */
  tools: readonly Tool[];
  /** The model's name, which decides which of several similar tools it sees. */
  model: string;
  messages: () => readonly Message[];
}

interface Offer {
  /** The message that decides, if it allows only some tools. */
  from: Message | undefined;
  find: FindTool;
  shown: readonly Tool[];
  schemas: readonly ToolSchema[];
}

/**
 * The tools that the model is offered now: those of the agent, fewer while it answers a message that allows only some,
 * and none if the model cannot call tools. Calls of other tools are not run.
 */
export class OfferedTools {
  readonly #options: OfferedToolsOptions;
  #offer: Offer | undefined;
  #areWithheld = false;

  constructor(options: OfferedToolsOptions) {
    this.#options = options;
  }

  get schemas(): readonly ToolSchema[] {
    return this.#areWithheld ? [] : this.#now().schemas;
  }

  find(name: string): Tool | undefined {
    return this.#areWithheld ? undefined : this.#now().find(name);
  }

  /** Tells the model why a tool is not there. */
  describeMissing(name: string): string {
    const isKnown = createToolFinder(this.#options.tools)(name) !== undefined;
    if (!isKnown || this.#areWithheld) return describeMissingTool(name, this.#names());
    const names = this.#names();
    const allowed = names.length === 0 ? 'no tools' : `only ${names.join(', ')}`;
    return `Not run: the user allows ${allowed} for this message.`;
  }

  /** Offers nothing from now on, because the model cannot call tools. */
  withhold(): void {
    this.#areWithheld = true;
  }

  #names(): string[] {
    return this.#areWithheld ? [] : this.#now().shown.map(({ name }) => name);
  }

  #now(): Offer {
    const from = this.#options.messages().findLast(({ role, metadata }) => {
      return role === 'user' && metadata?.synthetic === undefined;
    });
    if (this.#offer === undefined || this.#offer.from !== from) this.#offer = this.#offerFor(from);
    return this.#offer;
  }

  #offerFor(from: Message | undefined): Offer {
    const { tools, model } = this.#options;
    const allowed = allowedTools(from).reduce((left, patterns) => matchTools(patterns, left), tools);
    const shown = shownTools(allowed, model);
    return { from, find: createToolFinder(allowed), shown, schemas: shown.map(({ schema }) => schema) };
  }
}

/** The lists of patterns of a user message. A tool must match each, because several messages can be combined. */
function allowedTools(message: Message | undefined): readonly (readonly string[])[] {
  const lists = message?.metadata?.['tools'];
  return Array.isArray(lists) ? lists.filter(isTextList) : [];
}

/** Reports that a run has no tools. `problem` says why, and what a person can do about it. */
export function withoutTools(problem: string): EventPayload {
  const message = `${problem} The run continues without tools: the model can answer, but not read or change files, or run commands.`;
  return { type: 'context:warning', message };
}
