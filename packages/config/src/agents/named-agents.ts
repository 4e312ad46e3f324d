import { readFile } from 'node:fs/promises';
import type { SessionAgent, Tool } from '@longhaul/core';
import { LonghaulError, type Session, suggestion } from '@longhaul/protocol';
import type { AgentConfig, Config } from '../config.ts';
import { selectTools } from './select-tools.ts';

/** The agent of sessions that name none. It is there whether it is configured or not. */
export const DEFAULT_AGENT = 'coder';

/** A model, a prompt and the tools that it may call, under a name. */
export interface NamedAgent {
  name: string;
  /** `provider/model`. Absent: none is configured. */
  model?: string;
  /** Replaces the built-in system prompt. */
  prompt?: string;
  tools: readonly Tool[];
}

/** The agents of the configuration. A session names its own in its metadata, as `agent`. */
export class NamedAgents {
  readonly #agents: ReadonlyMap<string, NamedAgent>;

  constructor(agents: readonly NamedAgent[]) {
    this.#agents = new Map(agents.map((agent) => [agent.name, agent]));
  }

  /** The default one first. */
  list(): NamedAgent[] {
    return [...this.#agents.values()];
  }

  /** @throws {LonghaulError} `unknown_agent` */
  get(name: string = DEFAULT_AGENT): NamedAgent {
    const agent = this.#agents.get(name);
    if (agent !== undefined) return agent;
    const names = [...this.#agents.keys()];
    const message = `No agent is called "${name.slice(0, 100)}".${suggestion(name, names)} There are: ${names.join(', ')}.`;
    throw new LonghaulError('unknown_agent', message, { data: { known: names } });
  }

  /** How a session's agent works. @throws {LonghaulError} `unknown_agent` when it is no longer configured. */
  of({ metadata }: Pick<Session, 'metadata'>): SessionAgent {
    const { tools, prompt } = this.get(agentNameOf({ metadata }));
    const instructions = metadata?.['instructions'];
    return {
      tools,
      prompt,
      ...(typeof instructions === 'string' ? { instructions } : {}),
    };
  }
}

/** The name of a session's agent. */
export function agentNameOf({ metadata }: { metadata?: Session['metadata'] | undefined }): string {
  const name = metadata?.['agent'];
  return typeof name === 'string' ? name : DEFAULT_AGENT;
}

/**
 * Returns the agents of the configuration, each with those of `tools` that its patterns name.
 *
 * @throws {LonghaulError} `config_invalid` for a tool that there is not; `file_unreadable` for a prompt that cannot be read.
 */
export async function loadAgents(
  config: Pick<Config, 'agents' | 'model'>,
  tools: readonly Tool[],
): Promise<NamedAgents> {
  const configured = { [DEFAULT_AGENT]: {}, ...config.agents };
  const agents = Object.entries<AgentConfig>(configured).map(([name, agent]) =>
    load(name, config.model === undefined ? agent : { model: config.model, ...agent }, tools),
  );
  return new NamedAgents(await Promise.all(agents));
}

async function load(name: string, agent: AgentConfig, tools: readonly Tool[]): Promise<NamedAgent> {
  const { model, prompt: path, tools: patterns = ['*'] } = agent;
  const selected = selectTools(name, patterns, tools);
  const prompt = path === undefined ? undefined : await readPrompt(name, path);
  return {
    name,
    tools: selected,
    model,
    prompt,
  };
}

async function readPrompt(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new LonghaulError(
      'file_unreadable',
      `The prompt agents.${name}.prompt names, ${path}, cannot be read.`,
      { cause },
    );
  }
}
