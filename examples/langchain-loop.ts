/**
 * An agent loop with a chat model of LangChain that stays within its window.
 *
 * Run it against any compatible server: `OPENAI_BASE_URL=http://127.0.0.1:1234/v1 OPENAI_API_KEY=any node
 * examples/langchain-loop.ts "What is in README.md?"`
 */
import { readFile } from 'node:fs/promises';
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { ChatOpenAI, type ChatOpenAIFields } from '@langchain/openai';
import { createContextSession, RECALL_TOOL } from '@longhaul/context';
import { langChainFormat } from '@longhaul/context/langchain';
import { tooLongRefusal } from '@longhaul/models';

const SYSTEM =
  'You answer questions about files. Read what you need; use recall for what is no longer shown.';

const TOOLS = [
  {
    type: 'function' as const,
    function: {
      name: 'read_file',
      description: 'Reads a text file.',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  },
  { type: 'function' as const, function: RECALL_TOOL },
];

export async function answer(
  question: string,
  { model, windowTokens }: { model: ChatOpenAIFields; windowTokens: number },
): Promise<string> {
  const session = createContextSession({
    format: langChainFormat<BaseMessage>({ HumanMessage, AIMessage, ToolMessage }),
    windowTokens,
    maxOutputTokens: 2_000,
  });
  session.append([new SystemMessage(SYSTEM), new HumanMessage(question)]);
  for (;;) {
    const { messages, maxOutputTokens: maxTokens } = await session.fit({ tools: TOOLS });
    const chat = new ChatOpenAI({ ...model, maxTokens }).bindTools(TOOLS);
    const reply = await chat.invoke(messages).catch(learnRefusal);
    if (reply === undefined) continue;
    session.learn(reply.usage_metadata?.input_tokens);
    session.append([reply]);
    const calls = reply.tool_calls ?? [];
    if (calls.length === 0) return reply.text;
    for (const { id = '', name, args } of calls) {
      const content = await runTool(name, args).catch((error: unknown) => `Error: ${error}`);
      session.append([new ToolMessage({ content, tool_call_id: id })]);
    }
  }

  /** If the server refused the request as too long, the next `fit` makes room. */
  function learnRefusal(error: unknown): undefined {
    const refusal = tooLongRefusal(error);
    if (refusal === undefined) throw error;
    session.learnRefusal(refusal);
  }

  async function runTool(name: string, input: Record<string, unknown>): Promise<string> {
    if (name === 'recall') return session.recall(input);
    return readFile(String(input['path']), 'utf8');
  }
}

if (import.meta.main) {
  const configuration = { baseURL: process.env['OPENAI_BASE_URL'] ?? 'http://127.0.0.1:1234/v1' };
  const model = { model: process.env['MODEL'] ?? 'default', configuration };
  console.log(await answer(process.argv[2] ?? 'What is in README.md?', { model, windowTokens: 32_768 }));
}
