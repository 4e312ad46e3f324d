import { type EventPayload, isTextList, type Message } from '@longhaul/protocol';
import type { ToolSchema } from '../ports/model-driver.ts';
import type { Tool } from '../ports/tool.ts';
import { createToolFinder, type FindTool, matchTools, shownTools } from '../ports/tool-set.ts';
import { describeMissingTool } from './missing-tool.ts';

export interface OfferedToolsOptions {
  /** All tools of the agent, until they are replaced. */
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
  names: readonly string[];
  schemas: readonly ToolSchema[];
}

/**
 * The tools that the model is offered now: those of the agent, fewer while it answers a message that allows only some,
 * and none if the model cannot call tools. Calls of other tools are not run.
 */
export class OfferedTools {
  readonly #options: OfferedToolsOptions;
  #tools: readonly Tool[];
  #findAny: FindTool;
  #offer: Offer | undefined;
  #areWithheld = false;

  constructor(options: OfferedToolsOptions) {
    this.#options = options;
    this.#tools = options.tools;
    this.#findAny = createToolFinder(options.tools);
  }

  /** Offers other tools from now on. Call it after a compaction only: schemas are at the beginning of requests. */
  replace(tools: readonly Tool[]): void {
    this.#tools = tools;
    this.#findAny = createToolFinder(tools);
    this.#offer = undefined;
  }

  /** Finds a tool of the agent, whether it is offered now or not. */
  findAny(name: string): Tool | undefined {
    return this.#findAny(name);
  }

  get schemas(): readonly ToolSchema[] {
    return this.#areWithheld ? [] : this.#now().schemas;
  }

  /** The names of all tools that can be called now, also of those that the model does not see. */
  get names(): readonly string[] {
    return this.#areWithheld ? [] : this.#now().names;
  }

  find(name: string): Tool | undefined {
    return this.#areWithheld ? undefined : this.#now().find(name);
  }

  /** Tells the model why a tool is not there. */
  describeMissing(name: string): string {
    const isKnown = this.#findAny(name) !== undefined;
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
    const patterns = allowedTools(from);
    const allowed = patterns.reduce((left, each) => matchTools(each, left), this.#tools);
    const shown = shownTools(allowed, this.#options.model);
    return {
      from,
      find: createToolFinder(allowed),
      shown,
      names: allowed.map(({ name }) => name),
      schemas: shown.map(({ schema }) => schema),
    };
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
