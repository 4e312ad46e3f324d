/** A server with resources and prompts. Written with the SDK. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const server = new Server({ name: 'lively', version: '1' }, { capabilities: { resources: {}, prompts: {} } });

const RESOURCES: Record<string, { text: string } | { mimeType: string; blob: string }> = {
  'demo://note': { text: 'Buy \u001b[2Jmilk.' },
  'demo://picture': { mimeType: 'image/png', blob: PNG },
  'demo://long': { text: 'x'.repeat(150_000) },
};

server.setRequestHandler(ListResourcesRequestSchema, () => ({
  resources: Object.keys(RESOURCES).map((uri) => ({ uri, name: uri.slice('demo://'.length) })),
}));
server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }));
server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
  const resource = RESOURCES[uri];
  if (resource === undefined) throw new Error('The disk is gone.');
  return { contents: [{ uri, ...resource }] };
});

server.setRequestHandler(ListPromptsRequestSchema, () => ({
  prompts: [
    {
      name: 'greet',
      description: 'Greets\nsomebody.',
      arguments: [{ name: 'who', required: true }, { name: 'how' }],
    },
  ],
}));
server.setRequestHandler(GetPromptRequestSchema, ({ params: { arguments: given = {} } }) => ({
  messages: [
    { role: 'user', content: { type: 'text', text: `Greet ${given['who']} ${given['how'] ?? 'kindly'}.` } },
    { role: 'assistant', content: { type: 'text', text: 'Hello!' } },
    { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
  ],
}));

await server.connect(new StdioServerTransport());
