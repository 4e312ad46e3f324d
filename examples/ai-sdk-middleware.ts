/**
 * A model of the AI SDK that keeps every prompt within its window, whatever program uses it.
 *
 * Run it against any compatible server: `OPENAI_BASE_URL=http://127.0.0.1:1234/v1 node examples/ai-sdk-middleware.ts
 * "What is in README.md?"`
 */
import { readFile } from 'node:fs/promises';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { contextMiddleware } from '@longhaul/context/ai-sdk';
import { tooLongRefusal } from '@longhaul/models';
import { generateText, isStepCount, jsonSchema, tool, wrapLanguageModel } from 'ai';

type Model = Parameters<typeof wrapLanguageModel>[0]['model'];

const TOOLS = {
  read_file: tool({
    description: 'Reads a text file.',
    inputSchema: jsonSchema<{ path: string }>({ type: 'object', properties: { path: { type: 'string' } } }),
    execute: ({ path }) => readFile(path, 'utf8'),
  }),
};

export async function answer(
  question: string,
  { model, windowTokens }: { model: Model; windowTokens: number },
): Promise<string> {
  const middleware = contextMiddleware({ windowTokens, maxOutputTokens: 2_000, refusalOf: tooLongRefusal });
  const { text } = await generateText({
    model: wrapLanguageModel({ model, middleware }),
    prompt: question,
    tools: TOOLS,
    stopWhen: isStepCount(500),
  });
  return text;
}

if (import.meta.main) {
  const baseURL = process.env['OPENAI_BASE_URL'] ?? 'http://127.0.0.1:1234/v1';
  const model = createOpenAICompatible({ name: 'local', baseURL })(process.env['MODEL'] ?? 'default');
  console.log(await answer(process.argv[2] ?? 'What is in README.md?', { model, windowTokens: 32_768 }));
}
