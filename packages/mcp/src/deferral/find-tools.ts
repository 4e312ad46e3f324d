import type { Tool } from '@longhaul/core';
import { isObject, type JsonValue } from '@longhaul/protocol';
import type { ServerTool } from '../tools/server-tool.ts';
import { searchTools } from './search-tools.ts';

export const FIND_TOOLS = 'find_tools';

const MAX_SHOWN = 8;
const MAX_SHOWN_CHARS = 6_000;
const MAX_NAMED = 20;

/** Creates the tool that returns the schemas of deferred tools. */
export function createFindTools(tools: readonly ServerTool[], maxOutputChars: number): Tool<string> {
  return {
    name: FIND_TOOLS,
    isReadOnly: true,
    maxOutputChars,
    schema: {
      name: FIND_TOOLS,
      description: 'Find tools of servers by words or names. Returns what they do and their parameters.',
      parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    },
    parse: (input) => {
      const query = queryOf(input);
      return query === undefined
        ? { ok: false, reason: '`query` must be a string: words for what the tool does, or its name.' }
        : { ok: true, input: query };
    },
    async execute(query) {
      const found = searchTools(tools, query);
      const text = found.length === 0 ? nothing(tools) : describe(found);
      return {
        title: `${found.length} found for "${query.slice(0, 60)}"`,
        content: [{ type: 'text', text }],
      };
    },
  };
}

/** Also accepts a list of words or names. */
function queryOf(input: JsonValue): string | undefined {
  const query = isObject(input) ? (input['query'] ?? input['names'] ?? input['name']) : input;
  if (Array.isArray(query)) return query.join(' ');
  return typeof query === 'string' ? query : undefined;
}

function describe(found: readonly ServerTool[]): string {
  const shown: string[] = [];
  let chars = 0;
  for (const { name, schema } of found.slice(0, MAX_SHOWN)) {
    const text = `${name}: ${schema.description}\nParameters: ${JSON.stringify(schema.parameters)}`;
    chars += text.length;
    if (shown.length > 0 && chars > MAX_SHOWN_CHARS) break;
    shown.push(text);
  }
  const others = found.slice(shown.length);
  const named = others.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = others.length > named.length ? `, and ${others.length - named.length} more` : '';
  const rest = named.length === 0 ? [] : [`Others that match: ${named.join(', ')}${more}`];
  return [...shown, ...rest].join('\n\n');
}

function nothing(tools: readonly ServerTool[]): string {
  const servers = [...Map.groupBy(tools, ({ source }) => source)];
  const lines = servers.map(([server, own]) => {
    const names = own.slice(0, MAX_NAMED).map(({ name }) => name);
    return `${server} (${own.length}): ${names.join(', ')}${own.length > names.length ? ', …' : ''}`;
  });
  return `No tool matches. Try other words. The servers have these tools:\n${lines.join('\n')}`;
}
