import { LonghaulError, suggestion, type ToolOutputContent } from '@longhaul/protocol';
import { GetPromptResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { CallOptions, ServerConnection } from '../connection/server-connection.ts';
import { convertBlock } from '../tools/tool-content.ts';
import { listPrompts } from './list-offers.ts';
import { promptArguments } from './prompt-arguments.ts';

/**
 * Returns the content of a server's prompt.
 *
 * @throws {LonghaulError} `not_found` if the server has no such prompt; `usage` if an argument is missing; others as
 * `ServerConnection.request`.
 */
export async function getPrompt(
  connection: ServerConnection,
  { name, words }: { name: string; words: string },
  options: CallOptions,
): Promise<ToolOutputContent[]> {
  const prompts = await listPrompts(connection, options);
  const prompt = prompts.find((each) => each.name === name);
  if (prompt === undefined) {
    const names = prompts.map((each) => each.name);
    throw new LonghaulError(
      'not_found',
      `The MCP server ${connection.name} has no prompt ${JSON.stringify(name.slice(0, 100))}.${suggestion(name, names)}`,
    );
  }
  const values = promptArguments(words, prompt.arguments);
  const missing = prompt.arguments.filter((each) => each.isRequired && values[each.name] === undefined);
  if (missing.length > 0) {
    const names = missing.map((each) => each.name).join(', ');
    throw new LonghaulError(
      'usage',
      `The prompt ${connection.name}:${name} needs ${names}. Write /${connection.name}:${name} ${missing[0]?.name}=VALUE.`,
    );
  }
  const { messages } = await connection.request(
    (client, given) =>
      client.request(
        { method: 'prompts/get', params: { name, arguments: values } },
        GetPromptResultSchema,
        given,
      ),
    options,
  );
  return messages.flatMap(({ role, content }): ToolOutputContent[] => {
    const blocks = convertBlock(content);
    // A message of the user cannot contain an answer of the model.
    return role === 'user'
      ? blocks
      : [{ type: 'text', text: '[answer of the assistant, as an example]' }, ...blocks];
  });
}
