/**
 * An agent loop on OpenAI's Responses that stays within its model's window.
 *
 * Run it: `OPENAI_API_KEY=… MODEL=gpt-5 node examples/responses-loop.ts "What is in README.md?"`
 */
import { readFile } from 'node:fs/promises';
import { createContextSession, RECALL_TOOL, responsesFormat } from '@longhaul/context';
import { tooLongRefusal } from '@longhaul/models';
import OpenAI from 'openai';

const INSTRUCTIONS =
  'You answer questions about files. Read what you need; use recall for what is no longer shown.';

const TOOLS: OpenAI.Responses.FunctionTool[] = [
  {
    type: 'function',
    name: 'read_file',
    description: 'Reads a text file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    strict: false,
  },
  { type: 'function', ...RECALL_TOOL, strict: false },
];

type Item = OpenAI.Responses.ResponseInputItem | OpenAI.Responses.ResponseOutputItem;

export async function answer(
  question: string,
  { client, model, windowTokens }: { client: OpenAI; model: string; windowTokens: number },
): Promise<string> {
  const session = createContextSession({
    format: responsesFormat<Item>(),
    windowTokens,
    maxOutputTokens: 2_000,
  });
  session.append([{ role: 'user', content: question }]);
  for (;;) {
    const { messages, maxOutputTokens } = await session.fit({ system: INSTRUCTIONS, tools: TOOLS });
    const request: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
      model,
      instructions: INSTRUCTIONS,
      // The server accepts the items that it sent, although their types differ in small details.
      input: messages as OpenAI.Responses.ResponseInputItem[],
      tools: TOOLS,
      max_output_tokens: maxOutputTokens,
      // The session holds the conversation, so the server does not store it.
      store: false,
      include: ['reasoning.encrypted_content'],
    };
    const response = await client.responses.create(request).catch(learnRefusal);
    if (response === undefined) continue;
    session.learn(response.usage?.input_tokens);
    session.append(response.output);
    const calls = response.output.filter((item) => item.type === 'function_call');
    if (calls.length === 0) return response.output_text;
    for (const call of calls) {
      const output = await runTool(call).catch((error: unknown) => `Error: ${error}`);
      session.append([{ type: 'function_call_output', call_id: call.call_id, output }]);
    }
  }

  /** If the server refused the request as too long, the next `fit` makes room. */
  function learnRefusal(error: unknown): undefined {
    const refusal = tooLongRefusal(error);
    if (refusal === undefined) throw error;
    session.learnRefusal(refusal);
  }

  async function runTool(call: OpenAI.Responses.ResponseFunctionToolCall): Promise<string> {
    const input = JSON.parse(call.arguments);
    if (call.name === 'recall') return session.recall(input);
    return readFile(input.path, 'utf8');
  }
}

if (import.meta.main) {
  const options = { client: new OpenAI(), model: process.env['MODEL'] ?? 'gpt-5', windowTokens: 400_000 };
  console.log(await answer(process.argv[2] ?? 'What is in README.md?', options));
}
