/** A server whose tool asks the person. Written with the SDK. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  type ElicitRequestFormParams,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

type Schema = ElicitRequestFormParams['requestedSchema'];

const server = new Server({ name: 'asking', version: '1' }, { capabilities: { tools: {} } });

const FORMS: Record<string, Schema['properties']> = {
  order: {
    who: { type: 'string', title: 'Name', description: 'who gets it' },
    count: { type: 'integer', default: 1 },
    size: { type: 'string', enum: ['small', 'large'] },
  },
  confirm: {},
  nag: {},
};

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.keys(FORMS).map((name) => ({
    name,
    description: `Asks (${name}).`,
    inputSchema: { type: 'object', properties: {} },
  })),
}));

server.setRequestHandler(CallToolRequestSchema, async ({ params: { name } }) => {
  const properties = FORMS[name] ?? {};
  const ask = () =>
    server.elicitInput(
      {
        message: 'Order\u001b[2J a pizza?',
        requestedSchema: { type: 'object', properties, required: name === 'order' ? ['who', 'size'] : [] },
      },
      { timeout: 600_000 },
    );
  const answers = [];
  for (let index = 0; index < (name === 'nag' ? 12 : 1); index += 1) answers.push(await ask());
  return { content: [{ type: 'text', text: JSON.stringify(answers.at(-1)) }] };
});

await server.connect(new StdioServerTransport());
