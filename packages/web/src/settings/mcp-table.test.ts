import { expect, it } from 'vitest';
import { describeTools } from './mcp-table.tsx';

it.each([
  [{ tools: [], schemaTokens: 0, isDeferred: false }, ''],
  [{ tools: ['a', 'b'], schemaTokens: 120, isDeferred: false }, 'a, b (120 tokens in every request)'],
  [{ tools: ['a'], schemaTokens: 17_500, isDeferred: true }, 'a (17.5k tokens deferred)'],
])('describes the tools of a server: %j', (server, words) => {
  expect(describeTools(server)).toBe(words);
});
