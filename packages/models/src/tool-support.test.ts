import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { ServerKind } from './server-models.ts';
import { validateToolSupport } from './tool-support.ts';

async function asked(kind: ServerKind, answer: object | undefined) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const support = await validateToolSupport({ kind, baseUrl, model: 'gemma:2b', timeoutMs: 60_000 });
  await new Promise((resolve) => server.close(resolve));
  return { support, asked };
}

it("uses Ollama's list of capabilities", async () => {
  const without = await asked('ollama', { capabilities: ['completion'] });
  expect(without.asked).toEqual(['POST /api/show']);
  expect(without.support).toEqual({
    supported: false,
    advice: expect.stringContaining('ollama show'),
  });
  expect((await asked('ollama', { capabilities: ['completion', 'tools'] })).support).toEqual({
    supported: true,
  });
});

it('returns unknown if the server does not report it or does not answer', async () => {
  const unknown = { supported: 'unknown' };
  expect((await asked('ollama', { details: {} })).support).toEqual(unknown);
  expect((await asked('ollama', undefined)).support).toEqual(unknown);
  expect((await asked('llamacpp', { chat_template_caps: { supports_tools: false } })).support).toEqual(
    unknown,
  );
  expect((await asked('llamacpp', { chat_template_caps: { supports_tools: true } })).support).toEqual({
    supported: true,
  });
  expect((await asked('vllm', {})).support).toEqual(unknown);
  expect(await validateToolSupport({ kind: 'ollama', baseUrl: 'http://127.0.0.1:9', model: 'x' })).toEqual(
    unknown,
  );
});
