import { createScriptedModelServer, toolResults } from '@longhaul/scripted-model';
import { expect, it } from 'vitest';
import { answer } from './embed.ts';

const QUESTION = 'Which orders are late?';

it('answers with the tool of the program, through an error in the arguments', async () => {
  await using server = await createScriptedModelServer({
    windowTokens: 16_384,
    script: ({ messages }) => {
      const results = toolResults(messages, 'orders').map(({ result }) => result);
      if (results.length === 0) return { toolCalls: [{ name: 'orders', arguments: {} }] };
      if (results.length === 1) return { toolCalls: [{ name: 'orders', arguments: { state: 'late' } }] };
      return `${results[0]} Then: ${results[1]}`;
    },
  });
  const text = await answer(QUESTION, { baseUrl: server.url, name: 'scripted', windowTokens: 16_384 });
  expect(text).toContain('these arguments are missing: state');
  expect(text).toContain('[{"id":17,"customer":"Ines","state":"late"}]');
  expect(JSON.stringify(server.requests[0]?.body)).toContain(
    'You answer questions about the orders of a shop.',
  );
});
