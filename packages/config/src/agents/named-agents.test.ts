import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTools } from '@longhaul/tools';
import { expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../config.ts';
import { agentNameOf, listTaskAgents, loadAgents } from './named-agents.ts';

const tools = createTools();
const namesOf = (list: readonly { name: string }[]) => list.map(({ name }) => name);

it('has the default agent with all tools if none is configured', async () => {
  const agents = await loadAgents({ ...DEFAULT_CONFIG, agents: {} }, tools);
  expect(namesOf(agents.list())).toEqual(['coder']);
  expect(namesOf(agents.get().tools)).toEqual(namesOf(tools));
});

it('gives each agent its model, its prompt and the tools that match its patterns', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-agents-'));
  try {
    const prompt = join(folder, 'review.md');
    await writeFile(prompt, 'You review.');
    const agents = await loadAgents(
      {
        ...DEFAULT_CONFIG,
        agents: { reviewer: { model: 'openai/gpt-5', prompt, tools: ['re*', 'g*', 'mcp:*'] } },
      },
      tools,
    );
    expect(namesOf(agents.list())).toEqual(['coder', 'reviewer']);
    const { tools: selected, allowsTool: _, usesSkills, ...reviewer } = agents.get('reviewer');
    expect(usesSkills).toBe(false);
    expect(reviewer).toEqual({ name: 'reviewer', model: 'openai/gpt-5', prompt: 'You review.' });
    expect(namesOf(selected)).toEqual(['read', 'glob', 'grep', 'recall']);
    const session = { metadata: { agent: 'reviewer', instructions: 'Be kind.' } };
    expect(agents.of(session)).toMatchObject({ prompt: 'You review.', instructions: 'Be kind.' });
    expect(agentNameOf({ metadata: { agent: 7 } })).toBe('coder');
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('reports an unknown tool, an unknown agent and an unreadable prompt', async () => {
  const load = (coder: object) => loadAgents({ ...DEFAULT_CONFIG, agents: { coder } }, tools);
  await expect(load({ tools: ['reed'] })).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(
      /agents\.coder\.tools names "reed".*Did you mean "read"\?.*bash, process, read/,
    ),
  });
  await expect(load({ prompt: '/nowhere/x.md' })).rejects.toMatchObject({ code: 'file_unreadable' });
  const agents = await load({ tools: ['mcp:*'] });
  expect(agents.get('coder').tools).toEqual([]);
  expect(() => agents.get('codr')).toThrow(
    expect.objectContaining({
      code: 'unknown_agent',
      message: expect.stringContaining('Did you mean "coder"?'),
    }),
  );
});

it('overrides the settings for all agents key by key', async () => {
  const trigger = { threshold: 0.5 };
  const agents = await loadAgents(
    {
      ...DEFAULT_CONFIG,
      limits: { ...DEFAULT_CONFIG.limits, steps: 40, minutes: 30 },
      agents: {
        local: {
          context: {
            compression: { strategy: 'middle-removal', trigger, options: { ledgerShare: 0.4 } },
          },
          limits: { steps: 5, minutes: null },
        },
        plain: {},
      },
    },
    tools,
  );
  const { options, ...compression } = DEFAULT_CONFIG.context.compression;
  expect(agents.get('local')).toMatchObject({
    compression: {
      ...compression,
      strategy: 'middle-removal',
      trigger,
      options: { ...options, ledgerShare: 0.4 },
    },
    limits: { ...DEFAULT_CONFIG.limits, steps: 5, minutes: null },
  });
  expect(agents.get('local').summariser).toBeUndefined();
  expect(agents.get('plain')).toMatchObject({ compression: undefined, limits: undefined });
});

it('chooses tools of MCP servers by the name of the server or of the tool', async () => {
  const config = {
    all: {},
    none: { tools: ['read'] },
    every: { tools: ['read', 'mcp:*'] },
    server: { tools: ['mcp:git'] },
    tool: { tools: ['mcp:git_get_*'] },
  };
  const agents = await loadAgents({ ...DEFAULT_CONFIG, agents: config }, tools);
  const allowed = Object.keys(config).filter((name) => agents.get(name).allowsTool?.('git', 'git_get_issue'));
  expect(allowed).toEqual(['all', 'every', 'server', 'tool']);
  expect(agents.get('tool').allowsTool?.('git', 'git_close_issue')).toBe(false);
  expect(agents.get('server').allowsTool?.('other', 'other_get')).toBe(false);
});

it('has agents for child sessions that people cannot choose, and lets the configuration change them', async () => {
  const plain = await loadAgents({ ...DEFAULT_CONFIG, agents: {} }, tools);
  expect(namesOf(plain.list())).toEqual(['coder']);
  expect(namesOf(plain.get('explore').tools)).toEqual(['read', 'list', 'glob', 'grep', 'todo', 'recall']);
  expect(namesOf(plain.get('general').tools)).toEqual(namesOf(tools));
  const config = {
    ...DEFAULT_CONFIG,
    model: 'openai/gpt-5',
    agents: { explore: { model: 'openai/gpt-5-mini' }, tester: { description: 'runs tests.' }, quiet: {} },
  };
  const agents = await loadAgents(config, tools);
  expect(agents.get('explore')).toMatchObject({ model: 'openai/gpt-5-mini' });
  expect(namesOf(agents.get('explore').tools)).not.toContain('write');
  expect(listTaskAgents(config)).toMatchObject([
    { name: 'general' },
    { name: 'explore', model: 'openai/gpt-5-mini' },
    { name: 'tester', description: 'runs tests.' },
  ]);
});
