/**
 * An agent loop with the official OpenAI client that stays within its model's window.
 *
 * Run it against any compatible server: `OPENAI_BASE_URL=http://127.0.0.1:1234/v1 OPENAI_API_KEY=any node
 * examples/plain-openai.ts "What is in README.md?"`
 */
import { readFile } from 'node:fs/promises';
import { createContextSession, openAiChatFormat, RECALL_TOOL } from '@longhaul/context';
import { tooLongRefusal } from '@longhaul/models';
import OpenAI from 'openai';

const SYSTEM =
  'You answer questions about files. Read what you need; use recall for what is no longer shown.';

const TOOLS: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'read_file',
      description: 'Reads a text file.',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  },
  { type: 'function', function: RECALL_TOOL },
];

export async function answer(
  question: string,
  { client, model, windowTokens }: { client: OpenAI; model: string; windowTokens: number },
): Promise<string> {
  const session = createContextSession({
    format: openAiChatFormat<OpenAI.ChatCompletionMessageParam>(),
    windowTokens,
    maxOutputTokens: 2_000,
  });
  session.append([
    { role: 'system', content: SYSTEM },
    { role: 'user', content: question },
  ]);
  for (;;) {
    const { messages, maxOutputTokens, compacted } = await session.fit({ tools: TOOLS });
    if (compacted) console.error(`compacted: ${compacted.tokensBefore} → ${compacted.tokensAfter} tokens`);
    const request = { model, messages, tools: TOOLS, max_tokens: maxOutputTokens };
    const completion = await client.chat.completions.create(request).catch(learnRefusal);
    if (completion === undefined) continue;
    session.learn(completion.usage?.prompt_tokens);
    const message = completion.choices[0]?.message;
    if (message === undefined) throw new Error('The server sent no answer.');
    session.append([message]);
    if (!message.tool_calls?.length) return message.content ?? '';
    for (const call of message.tool_calls) {
      const content = await runTool(call).catch((error: unknown) => `Error: ${error}`);
      session.append([{ role: 'tool', tool_call_id: call.id, content }]);
    }
  }

  /** If the server refused the request as too long, the next `fit` makes room. */
  function learnRefusal(error: unknown): undefined {
    const refusal = tooLongRefusal(error);
    if (refusal === undefined) throw error;
    session.learnRefusal(refusal);
  }

  async function runTool(call: OpenAI.ChatCompletionMessageToolCall): Promise<string> {
    if (call.type !== 'function') throw new Error(`There is no tool of type ${call.type}.`);
    const input = JSON.parse(call.function.arguments);
    if (call.function.name === 'recall') return session.recall(input);
    return readFile(input.path, 'utf8');
  }
}

if (import.meta.main) {
  const options = { client: new OpenAI(), model: process.env['MODEL'] ?? 'default', windowTokens: 32_768 };
  console.log(await answer(process.argv[2] ?? 'What is in README.md?', options));
}
