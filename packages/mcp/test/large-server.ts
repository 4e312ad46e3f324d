/** A server over standard input and output with 200 tools like those of an issue tracker. Each returns what it was called with. */
import { createInterface } from 'node:readline';

const VERBS = ['list', 'get', 'create', 'update', 'delete', 'search', 'archive', 'export', 'assign', 'watch'];
const NOUNS = [
  ...[
    'issue',
    'pull_request',
    'milestone',
    'label',
    'comment',
    'review',
    'branch',
    'release',
    'workflow',
    'runner',
  ],
  ...[
    'project',
    'board',
    'column',
    'team',
    'member',
    'webhook',
    'secret',
    'package',
    'discussion',
    'notification',
  ],
];

interface Request {
  id?: number;
  method: string;
  params?: { name?: string; arguments?: unknown };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const request: Request = JSON.parse(line);
  const result = request.id === undefined ? undefined : resultOf(request);
  if (result !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id: request.id, result }));
});

function resultOf({ method, params }: Request): object | undefined {
  if (method === 'initialize') {
    return {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'tracker', version: '1' },
    };
  }
  if (method === 'tools/list')
    return { tools: NOUNS.flatMap((noun) => VERBS.map((verb) => tool(verb, noun))) };
  if (method !== 'tools/call') return undefined;
  return { content: [{ type: 'text', text: `${params?.name} ${JSON.stringify(params?.arguments)}` }] };
}

function tool(verb: string, noun: string) {
  const spoken = noun.replace('_', ' ');
  return {
    name: `${verb}_${noun}`,
    description: `${verb[0]?.toUpperCase()}${verb.slice(1)} a ${spoken} of a repository. Needs permission to read the ${spoken}s of its owner.`,
    inputSchema: {
      type: 'object',
      properties: {
        owner: { type: 'string', description: 'The owner of the repository' },
        repository: { type: 'string', description: 'The name of the repository' },
        [`${noun}_id`]: { type: 'integer', description: `The number of the ${spoken}` },
      },
      required: ['owner', 'repository'],
    },
  };
}
