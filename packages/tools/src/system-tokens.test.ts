import { buildSystemPrompt, shownSchemas } from '@longhaul/core';
import { loadTokenizer, type TokenFamily, tokenFamilyOf } from '@longhaul/models';
import { expect, test } from 'vitest';
import { createTools } from './create-tools.ts';
import { createReadTool } from './read.ts';

const MAX_PROMPT_TOKENS = 700;
const MAX_TOKENS = 2_000;

const EDITORS = ['write', 'edit'];
const PATCHER = ['apply_patch'];
/** A model of each family: of tokens, and of tools. */
const MODELS: readonly (readonly [model: string, family: TokenFamily, editing: readonly string[]])[] = [
  ['claude-sonnet-4-5', 'o200k', EDITORS],
  ['gemini-2.5-pro', 'o200k', EDITORS],
  ['gpt-5', 'o200k', PATCHER],
  ['openai/gpt-5-codex', 'o200k', PATCHER],
  ['gpt-4.1', 'o200k', EDITORS],
  ['openai/gpt-oss-20b', 'o200k', EDITORS],
  ['gpt-4-turbo', 'cl100k', EDITORS],
  ['qwen3-coder:30b', 'qwen', EDITORS],
  ['llama3.1:8b', 'llama3', EDITORS],
  ['codellama:13b', 'llama2', EDITORS],
  ['devstral-small', 'tekken', EDITORS],
  ['mixtral:8x7b', 'mistral', EDITORS],
];

/** What a session in a git repository has, with long values. */
const FACTS = [
  'Workspace: /workspace (paths are relative to it; file tools cannot leave it)',
  'Sandbox: docker registry.example.com/team/build-image:24-bookworm, network off; processes that a command leaves running are killed',
  'Platform: Linux x64, bash',
  'Git: feature/read-settings-from-the-environment, 12 tracked files with unstaged changes',
  'Date: 2026-03-01 (when this session began)',
].map((text) => ({ key: text.slice(0, 8), value: text, text, news: text }));

/** As built in. */
const AGENTS = [
  { name: 'general', description: 'any task' },
  { name: 'explore', description: 'reads only, to find where something is' },
];

const TOOLS = createTools({ fetch: {}, task: { agents: AGENTS } });
const NAMES = TOOLS.map((tool) => tool.name);

test.each(MODELS)(
  'keeps prompt, environment and schemas for %s within 2,000 tokens',
  async (model, family, editing) => {
    expect(tokenFamilyOf(model)).toBe(family);
    const { count } = await loadTokenizer(family);
    const shown = shownSchemas(TOOLS, model);
    expect(shown.map(({ name }) => name).filter((name) => [...EDITORS, ...PATCHER].includes(name))).toEqual(
      editing,
    );
    const wire = shown.map((tool) => ({ type: 'function', function: tool }));
    const system = buildSystemPrompt({ facts: FACTS, tools: NAMES });
    expect(count(system) + count(JSON.stringify(wire))).toBeLessThanOrEqual(MAX_TOKENS);
  },
);

test('keeps the prompt within 700 tokens of the default family', async () => {
  const { count } = await loadTokenizer(tokenFamilyOf('unknown'));
  expect(count(buildSystemPrompt({ facts: [], tools: NAMES }))).toBeLessThanOrEqual(MAX_PROMPT_TOKENS);
});

test('mentions in the prompt no tool that the agent lacks', () => {
  const mentioned = (tools: readonly string[]) =>
    [...buildSystemPrompt({ facts: [], tools }).matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(mentioned(NAMES)).toEqual(['todo', 'recall', 'task']);
  expect(mentioned([createReadTool().name, 'recall'])).toEqual(['recall']);
  expect(mentioned([])).toEqual([]);
});
