import { readFile } from 'node:fs/promises';
import type { SessionAgent, SubtaskAgent, Tool } from '@longhaul/core';
import { LonghaulError, matchesPattern, type Session, suggestion } from '@longhaul/protocol';
import type { AgentConfig, CompressionConfig, Config } from '../config.ts';
import { merge } from '../merge.ts';
import type { TrustedFiles } from '../trust/project-part.ts';
import { SKILL_TOOL, selectsServerTool, selectTools } from './select-tools.ts';

/** The agent of sessions that name none. It exists even if it is not configured. */
export const DEFAULT_AGENT = 'coder';

/** A named combination of a model, a prompt and the tools it may call. */
export interface NamedAgent {
  name: string;
  /** For people who choose an agent. */
  description?: string | undefined;
  /** `provider/model`. Absent if none is configured. */
  model?: string;
  /** Replaces the built-in system prompt. */
  prompt?: string;
  tools: readonly Tool[];
  /** Whether the agent may call a tool of an MCP server. Default: it may call all. */
  allowsTool?: ((server: string, toolName: string) => boolean) | undefined;
  /** The settings of its sessions, if it has its own. */
  compression?: CompressionConfig;
  limits?: Config['limits'];
  /** The model that writes its narratives, if it names one: `provider/model`, `none` or `__same__`. */
  summariser?: string;
  /** Whether its patterns name the tool `skill`. Default true. */
  usesSkills?: boolean;
}

/** Agents of child sessions. They exist even if they are not configured, and people do not choose them. */
const TASK_AGENTS: Readonly<Record<string, AgentConfig>> = {
  general: { description: 'any task' },
  explore: {
    description: 'reads only, to find where something is',
    tools: ['read', 'list', 'glob', 'grep', 'recall', 'todo', 'fetch', 'skill'],
  },
};

/** What applies to agents that have no value of their own. */
type AgentDefaults = Pick<Config, 'agents' | 'model' | 'project' | 'context' | 'limits'>;

/** The configured agents. A session names its agent in its metadata, as `agent`. */
export class NamedAgents {
  readonly #agents: ReadonlyMap<string, NamedAgent>;
  readonly #taskAgents: ReadonlyMap<string, NamedAgent>;

  /** @param taskAgents Agents that only child sessions have. */
  constructor(agents: readonly NamedAgent[], taskAgents: readonly NamedAgent[] = []) {
    this.#agents = new Map(agents.map((agent) => [agent.name, agent]));
    this.#taskAgents = new Map(taskAgents.map((agent) => [agent.name, agent]));
  }

  /** Returns all agents that people can choose, the default one first. */
  list(): NamedAgent[] {
    return [...this.#agents.values()];
  }

  /** @throws {LonghaulError} `unknown_agent` */
  get(name: string = DEFAULT_AGENT): NamedAgent {
    const agent = this.#agents.get(name) ?? this.#taskAgents.get(name);
    if (agent !== undefined) return agent;
    const names = [...this.#agents.keys()];
    const message = `No agent is called "${name.slice(0, 100)}".${suggestion(name, names)} There are: ${names.join(', ')}.`;
    throw new LonghaulError('unknown_agent', message, { data: { known: names } });
  }

  /**
   * Returns the agent that a session names.
   *
   * @throws {LonghaulError} `unknown_agent` if the agent is no longer configured.
   */
  ofSession({ metadata }: Pick<Session, 'metadata'>): NamedAgent {
    return this.get(agentNameOf({ metadata }));
  }

  /**
   * Returns the prompt, tools and instructions of a session's agent.
   *
   * @throws {LonghaulError} `unknown_agent` if the agent is no longer configured.
   */
  of({ metadata }: Pick<Session, 'metadata'>): SessionAgent {
    const { tools, prompt, allowsTool, usesSkills } = this.ofSession({ metadata });
    const instructions = metadata?.['instructions'];
    return {
      tools,
      prompt,
      allowsTool,
      usesSkills,
      instructions: typeof instructions === 'string' ? instructions : undefined,
    };
  }
}

/** Returns the name of a session's agent. */
export function agentNameOf({ metadata }: { metadata?: Session['metadata'] | undefined }): string {
  const name = metadata?.['agent'];
  return typeof name === 'string' ? name : DEFAULT_AGENT;
}

/**
 * Loads the configured agents. Each gets the tools that match its patterns.
 *
 * @throws {LonghaulError} `config_invalid` for a tool that does not exist; `file_unreadable` for a prompt that cannot
 * be read.
 */
export async function loadAgents(config: AgentDefaults, tools: readonly Tool[]): Promise<NamedAgents> {
  const all = { config, tools };
  const configured = { [DEFAULT_AGENT]: {}, ...config.agents };
  const agents = Object.entries<AgentConfig>(configured).map(([name, own]) => {
    const agent = { ...TASK_AGENTS[name], ...own };
    return load(name, config.model === undefined ? agent : { model: config.model, ...agent }, all);
  });
  const forTasks = Object.entries(TASK_AGENTS).map(([name, agent]) => load(name, agent, all));
  return new NamedAgents(await Promise.all(agents), await Promise.all(forTasks));
}

/**
 * Returns the agents that child sessions can have, the default one first: those that are built in, and all that have a
 * description. Without a model of its own, such an agent has the model of the parent.
 */
export function listTaskAgents({ agents }: Pick<Config, 'agents'>): SubtaskAgent[] {
  const names = new Set([...Object.keys(TASK_AGENTS), ...Object.keys(agents)]);
  return [...names].flatMap((name) => {
    const { description, model }: AgentConfig = { ...TASK_AGENTS[name], ...agents[name] };
    return description === undefined ? [] : [{ name, description, model }];
  });
}

async function load(
  name: string,
  agent: AgentConfig,
  { config, tools }: { config: AgentDefaults; tools: readonly Tool[] },
): Promise<NamedAgent> {
  const { description, model, prompt: path, tools: patterns = ['*'], context, limits } = agent;
  const selected = selectTools(name, patterns, tools);
  const prompt = path === undefined ? undefined : await readPrompt(name, path, config.project?.files);
  return {
    name,
    description,
    tools: selected,
    allowsTool: (server, toolName) => selectsServerTool(patterns, server, toolName),
    usesSkills: patterns.some((pattern) => matchesPattern(pattern, SKILL_TOOL)),
    model,
    prompt,
    compression: withOverrides(config.context.compression, context?.compression),
    limits: withOverrides(config.limits, limits),
    summariser: context?.compression?.model,
  };
}

/** Both were checked, and merging a checked part into complete settings gives complete settings. */
function withOverrides<Settings>(settings: Settings, own: object | undefined): Settings | undefined {
  return own === undefined ? undefined : (merge(settings, own) as Settings);
}

/** A trusted prompt of a project is not read again: the file may have changed since. */
async function readPrompt(name: string, path: string, files: TrustedFiles | undefined): Promise<string> {
  const trusted = files?.bytesOf(path);
  if (trusted !== undefined) return new TextDecoder().decode(trusted);
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new LonghaulError(
      'file_unreadable',
      `The prompt file ${path} (agents.${name}.prompt) cannot be read.`,
      { cause },
    );
  }
}
