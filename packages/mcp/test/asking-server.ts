/** A server whose tools ask the person and the model. Written with the SDK. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
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

/** What the tools that ask the model send to it. */
const CONTENTS: Record<string, object> = {
  model: { type: 'text', text: 'Hello' },
  model_image: { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  model_nag: { type: 'text', text: 'Again' },
};

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [...Object.keys(FORMS), ...Object.keys(CONTENTS)].map((name) => ({
    name,
    description: `Asks (${name}).`,
    inputSchema: { type: 'object', properties: {} },
  })),
}));

server.setRequestHandler(CallToolRequestSchema, async ({ params: { name } }) => {
  const content = CONTENTS[name];
  if (content !== undefined) return await askModel(content, name === 'model_nag' ? 12 : 1);
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

/** Asks whether or not the client has said that it can be asked. */
async function askModel(content: object, times: number) {
  const params = { messages: [{ role: 'user', content }], maxTokens: 100 };
  let text = '';
  for (let index = 0; index < times; index += 1) {
    const answered = server.request({ method: 'sampling/createMessage', params }, CreateMessageResultSchema);
    text = await answered.then(JSON.stringify, (error: Error) => error.message);
  }
  return { content: [{ type: 'text' as const, text }] };
}

await server.connect(new StdioServerTransport());
