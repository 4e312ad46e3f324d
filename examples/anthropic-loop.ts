/**
 * An agent loop with the official Anthropic client that stays within its model's window.
 *
 * Run it: `ANTHROPIC_API_KEY=… MODEL=claude-sonnet-4-5 node examples/anthropic-loop.ts "What is in README.md?"`
 */
import { readFile } from 'node:fs/promises';
import Anthropic from '@anthropic-ai/sdk';
import { anthropicFormat, createContextSession, RECALL_TOOL } from '@longhaul/context';
import { tooLongRefusal } from '@longhaul/models';

const SYSTEM =
  'You answer questions about files. Read what you need; use recall for what is no longer shown.';

const TOOLS: Anthropic.Tool[] = [
  {
    name: 'read_file',
    description: 'Reads a text file.',
    input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  { name: RECALL_TOOL.name, description: RECALL_TOOL.description, input_schema: RECALL_TOOL.parameters },
];

export async function answer(
  question: string,
  { client, model, windowTokens }: { client: Anthropic; model: string; windowTokens: number },
): Promise<string> {
  const session = createContextSession({
    format: anthropicFormat<Anthropic.MessageParam>(),
    windowTokens,
    maxOutputTokens: 2_000,
  });
  session.append([{ role: 'user', content: question }]);
  for (;;) {
    const fitted = await session.fit({ system: SYSTEM, tools: TOOLS });
    const { messages, maxOutputTokens: max_tokens } = fitted;
    const request = { model, system: SYSTEM, messages, tools: TOOLS, max_tokens };
    const reply = await client.messages.create(request).catch(learnRefusal);
    if (reply === undefined) continue;
    const { usage } = reply;
    const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
    session.learn(usage.input_tokens + cached);
    session.append([{ role: 'assistant', content: reply.content }]);
    const calls = reply.content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0)
      return reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    session.append([{ role: 'user', content: await Promise.all(calls.map(runTool)) }]);
  }

  /** If the server refused the request as too long, the next `fit` makes room. */
  function learnRefusal(error: unknown): undefined {
    const refusal = tooLongRefusal(error);
    if (refusal === undefined) throw error;
    session.learnRefusal(refusal);
  }

  async function runTool({
    id,
    name,
    input,
  }: Anthropic.ToolUseBlock): Promise<Anthropic.ToolResultBlockParam> {
    try {
      const content = name === 'recall' ? session.recall(input) : await readFile(pathIn(input), 'utf8');
      return { type: 'tool_result', tool_use_id: id, content };
    } catch (error) {
      return { type: 'tool_result', tool_use_id: id, content: String(error), is_error: true };
    }
  }
}

function pathIn(input: unknown): string {
  if (typeof input === 'object' && input !== null && 'path' in input) return String(input.path);
  throw new Error('Pass a path.');
}

if (import.meta.main) {
  const model = process.env['MODEL'] ?? 'claude-sonnet-4-5';
  const options = { client: new Anthropic(), model, windowTokens: 200_000 };
  console.log(await answer(process.argv[2] ?? 'What is in README.md?', options));
}
