/**
 * The AI SDK's agent loop, with a `prepareStep` that keeps it within the model's window.
 *
 * Run it against any compatible server: `OPENAI_BASE_URL=http://127.0.0.1:1234/v1 node examples/ai-sdk-loop.ts "What is
 * in README.md?"`
 */
import { readFile } from 'node:fs/promises';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  aiSdkFormat,
  type ContextSession,
  createContextSession,
  RECALL_TOOL,
  type RecallInput,
} from '@longhaul/context';
import { tooLongRefusal } from '@longhaul/models';
import { generateText, isStepCount, jsonSchema, type LanguageModel, type ModelMessage, tool } from 'ai';

const SYSTEM =
  'You answer questions about files. Read what you need; use recall for what is no longer shown.';

const READ_TOOL = {
  name: 'read_file',
  description: 'Reads a text file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
} as const;

export async function answer(
  question: string,
  { model, windowTokens }: { model: LanguageModel; windowTokens: number },
): Promise<string> {
  const session: ContextSession<ModelMessage> = createContextSession({
    format: aiSdkFormat<ModelMessage>(),
    windowTokens,
    maxOutputTokens: 2_000,
    summarise: async ({ signal, ...request }): Promise<string> => {
      const { text } = await generateText({
        model,
        instructions: SYSTEM,
        tools,
        toolChoice: 'none',
        abortSignal: signal,
        ...request,
      });
      return text;
    },
  });

  const tools = {
    read_file: tool({
      description: READ_TOOL.description,
      inputSchema: jsonSchema<{ path: string }>(READ_TOOL.parameters),
      execute: ({ path }) => readFile(path, 'utf8'),
    }),
    recall: tool({
      description: RECALL_TOOL.description,
      inputSchema: jsonSchema<RecallInput>(RECALL_TOOL.parameters),
      execute: (input) => session.recall(input),
    }),
  };

  let history: ModelMessage[] = [{ role: 'user', content: question }];
  for (;;) {
    try {
      const { text } = await generateText({
        model,
        instructions: SYSTEM,
        messages: history,
        tools,
        stopWhen: isStepCount(500),
        prepareStep: async ({ initialMessages, responseMessages, steps }) => {
          session.learn(steps.at(-1)?.usage.inputTokens);
          session.sync([...initialMessages, ...responseMessages]);
          const { messages, maxOutputTokens } = await session.fit({
            system: SYSTEM,
            tools: [READ_TOOL, RECALL_TOOL],
          });
          return { messages, maxOutputTokens };
        },
      });
      return text;
    } catch (error) {
      const refusal = tooLongRefusal(error);
      if (refusal === undefined) throw error;
      // The next `fit` makes room. The loop continues with the steps that were done.
      session.learnRefusal(refusal);
      history = [...session.messages];
    }
  }
}

if (import.meta.main) {
  const baseURL = process.env['OPENAI_BASE_URL'] ?? 'http://127.0.0.1:1234/v1';
  const model = createOpenAICompatible({ name: 'local', baseURL })(process.env['MODEL'] ?? 'default');
  console.log(await answer(process.argv[2] ?? 'What is in README.md?', { model, windowTokens: 32_768 }));
}
