import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { createTools } from './create-tools.ts';

const NAMES = ['bash', 'read', 'write', 'edit', 'list', 'glob', 'grep', 'todo', 'recall'];

test('creates the nine tools', () => {
  const tools = createTools();
  expect(tools.map((tool) => tool.name)).toEqual(NAMES);
  expect(tools.map((tool) => tool.schema.name)).toEqual(NAMES);
  expect(tools.filter((tool) => tool.runsAlone).map((tool) => tool.name)).toEqual(['bash', 'write', 'edit']);
});

test('keeps all schemas together under 1,100 tokens, for small windows', () => {
  const wire = createTools().map((tool) => ({ type: 'function', function: tool.schema }));
  expect(countTokens(JSON.stringify(wire))).toBeLessThan(1100);
});

test('applies configured limits to the tools and to their descriptions', () => {
  const [bash, read] = createTools({
    bash: { maxOutputChars: 5000, timeoutMs: 1000, maxTimeoutMs: 2000 },
    read: { maxLines: 7 },
  });
  expect(bash?.maxOutputChars).toBe(6000);
  expect(JSON.stringify(bash?.schema)).toContain('Default 1000, at most 2000');
  expect(read?.schema.description).toContain('up to 7');
});
