import { buildSystemPrompt, shownSchemas } from '@longhaul/core';
import { loadTokenizer, tokenFamilyOf } from '@longhaul/models';
import { createTools } from '@longhaul/tools';
import type { BenchResult, BenchRow } from './bench-result.ts';

const MAX_PROMPT_TOKENS = 700;
const MAX_TOKENS = 2_000;

/** A model of each family: of tokens, and of tools. The first one has the family of unknown models. */
const MODELS = [
  'claude-sonnet-4-5',
  'gpt-5-codex',
  'gpt-4-turbo',
  'qwen3-coder:30b',
  'llama3.1:8b',
  'codellama:13b',
  'devstral-small',
  'mixtral:8x7b',
];

/** Counts what is at the beginning of every request: the built-in prompt and the schemas of the default tools. */
export async function benchSystemTokens(): Promise<BenchResult> {
  const rows: BenchRow[] = [];
  for (const model of MODELS) rows.push(await measure(model));
  const tokensOf = (row: BenchRow | undefined, name: string) => Number(row?.values[name]);
  const [first] = rows;
  return {
    name: 'system-tokens',
    rows,
    summary: {
      'prompt tokens': tokensOf(first, 'prompt'),
      'most tokens in all': Math.max(...rows.map((row) => tokensOf(row, 'in all'))),
    },
    notes: ['A session adds about 100 tokens for its environment, and its instruction files.'],
    broken: [
      ...(tokensOf(first, 'prompt') > MAX_PROMPT_TOKENS
        ? [`the prompt has over ${MAX_PROMPT_TOKENS} tokens`]
        : []),
      ...rows
        .filter((row) => tokensOf(row, 'in all') > MAX_TOKENS)
        .map(({ label }) => `${label}: over ${MAX_TOKENS} tokens`),
    ],
  };
}

async function measure(model: string): Promise<BenchRow> {
  const family = tokenFamilyOf(model);
  const { count } = await loadTokenizer(family);
  const tools = createTools({ fetch: {} });
  const shown = shownSchemas(tools, model);
  const prompt = count(buildSystemPrompt({ facts: [], tools: tools.map((tool) => tool.name) }));
  const schemas = count(JSON.stringify(shown.map((tool) => ({ type: 'function', function: tool }))));
  return {
    label: model,
    values: { tokenizer: family, tools: shown.length, prompt, schemas, 'in all': prompt + schemas },
  };
}
