/**
 * The agent of Longhaul inside another program: one model, one tool of the program's own, and everything in memory.
 *
 * Run it against any compatible server: `OPENAI_BASE_URL=http://127.0.0.1:1234/v1 node examples/embed.ts "Which orders
 * are late?"`
 */
import { createRuntime, defineTool } from '@longhaul/core';
import { createModelDriver } from '@longhaul/drivers';
import { createMemoryStorage } from '@longhaul/storage/memory';

const ORDERS = [
  { id: 17, customer: 'Ines', state: 'late' },
  { id: 18, customer: 'Tom', state: 'sent' },
];

export interface ModelAddress {
  baseUrl: string;
  name: string;
  windowTokens: number;
}

export async function answer(task: string, { baseUrl, name, windowTokens }: ModelAddress): Promise<string> {
  const info = { provider: 'local', model: name, windowTokens, maxOutputTokens: 2_000 };
  const model = await createModelDriver({
    ...{ kind: 'openai-compatible', provider: 'local', model: name, baseUrl },
    info: { ...info, accepts: { images: false, files: false } },
  });
  const orders = defineTool({
    name: 'orders',
    description: 'Lists the orders in a state: late, sent or new.',
    parameters: { type: 'object', properties: { state: { type: 'string' } }, required: ['state'] },
    execute: ({ state }) => JSON.stringify(ORDERS.filter((order) => order.state === state)),
  });
  const prompt = 'You answer questions about the orders of a shop.';
  const runtime = createRuntime({ ...createMemoryStorage(), model, tools: [orders], prompt });
  const session = await runtime.createSession({ workspace: process.cwd(), model: `local/${name}`, task });
  const result = await runtime.run(session.id, { content: [{ type: 'text', text: task }] });
  if (result.error !== undefined) throw result.error;
  return result.text;
}

if (import.meta.main) {
  const baseUrl = process.env['OPENAI_BASE_URL'] ?? 'http://127.0.0.1:1234/v1';
  const model = { baseUrl, name: process.env['MODEL'] ?? 'default', windowTokens: 32_768 };
  console.log(await answer(process.argv[2] ?? 'Which orders are late?', model));
}
