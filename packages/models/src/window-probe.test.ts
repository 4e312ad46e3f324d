import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stopClock } from '@longhaul/testing/clock';
import { holdClosedPort } from '@longhaul/testing/machine';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkServer } from './check-server.ts';
import { detectLocalServers, listServerModels } from './local-servers.ts';
import { probeModel, probeWindow } from './window-probe.ts';

type Routes = Record<string, unknown>;

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server that answers the given paths with JSON and all others with 404. It never answers a path with `null`. */
async function serve(routes: Routes): Promise<{ baseUrl: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const answer = routes[path];
    if (answer === null) return;
    response.statusCode = answer === undefined ? 404 : 200;
    response.setHeader('content-type', typeof answer === 'string' ? 'text/html' : 'application/json');
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? { error: 'not found' }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, asked };
}

const LM_STUDIO = {
  '/api/v1/models': {
    models: [
      { type: 'embedding', key: 'embed', loaded_instances: [], max_context_length: 2048 },
      { type: 'llm', key: 'idle', loaded_instances: [], max_context_length: 131072 },
      {
        type: 'llm',
        key: 'qwen',
        loaded_instances: [
          { id: 'qwen', config: { context_length: 8192 } },
          { id: 'qwen:2', config: { context_length: 4096 } },
        ],
        max_context_length: 131072,
      },
    ],
  },
};
const LM_STUDIO_OLD = {
  '/api/v0/models': {
    data: [
      { id: 'idle', type: 'llm', state: 'not-loaded', max_context_length: 131072 },
      { id: 'qwen', type: 'llm', state: 'loaded', max_context_length: 131072, loaded_context_length: 6000 },
    ],
  },
};
const OLLAMA = {
  '/api/ps': { models: [{ name: 'llama3:latest', model: 'llama3:latest', context_length: 4096 }] },
  '/api/tags': {
    models: [
      { name: 'idle:7b', model: 'idle:7b' },
      { name: 'llama3:latest', model: 'llama3:latest' },
    ],
  },
};
const LLAMA_CPP = {
  '/props': { default_generation_settings: { n_ctx: 16384 } },
  '/v1/models': { data: [{ id: 'model.gguf', meta: { n_ctx_train: 131072 } }] },
};
/** For servers that answer, even on a busy machine. */
const timeoutMs = 60_000;
const VLLM = { '/v1/models': { data: [{ id: 'org/model', max_model_len: 32768 }] } };

const lmStudio = (facts: object) => ({
  models: [{ key: 'seer', loaded_instances: [{ id: 'seer', config: { context_length: 8192 } }], ...facts }],
});
const OLD_VLM = { id: 'seer', type: 'vlm', state: 'loaded', loaded_context_length: 8192 };
const ollama = (capabilities: string[] | undefined) => ({
  '/api/ps': { models: [{ model: 'seer', context_length: 8192 }] },
  '/api/tags': { models: [{ model: 'seer' }] },
  '/api/show': { capabilities },
});
const idleOllama = (shown: object) => ({
  '/api/ps': { models: [] },
  '/api/tags': {
    models: ['llava:7b', 'qwen3-vl:8b', 'qwen3:8b', 'llama3.2-vision', 'minicpm-v', 'qwen2.5'].map(
      (model) => ({
        model,
      }),
    ),
  },
  '/api/show': shown,
});
const llamaCpp = (props: object) => ({
  '/props': { default_generation_settings: { n_ctx: 8192 }, ...props },
  '/v1/models': { data: [{ id: 'seer' }] },
});

describe('probeWindow', () => {
  it.each([
    ['lmstudio', LM_STUDIO, 'qwen', 8192, 'LM Studio /api/v1/models'],
    ['lmstudio', LM_STUDIO, 'qwen:2', 4096, 'LM Studio /api/v1/models'],
    ['lmstudio', LM_STUDIO_OLD, 'qwen', 6000, 'LM Studio /api/v0/models'],
    ['ollama', OLLAMA, 'llama3:latest', 4096, 'Ollama /api/ps'],
    ['ollama', OLLAMA, 'llama3', 4096, 'Ollama /api/ps'],
    ['llamacpp', LLAMA_CPP, 'model.gguf', 16384, 'llama.cpp /props'],
    ['llamacpp', LLAMA_CPP, 'any-name', 16384, 'llama.cpp /props'],
    ['vllm', VLLM, 'org/model', 32768, 'vLLM /v1/models'],
  ] as const)(
    'returns the loaded length of %s, with and without its kind',
    async (kind, routes, model, windowTokens, source) => {
      const { baseUrl } = await serve(routes);
      expect(await probeWindow({ kind, baseUrl, model, timeoutMs })).toMatchObject({ windowTokens, source });
      expect(await probeWindow({ baseUrl, model, timeoutMs })).toMatchObject({ windowTokens, source });
      expect(await probeWindow({ baseUrl: baseUrl.replace('/v1', '/'), model, timeoutMs })).toMatchObject({
        windowTokens,
        source,
      });
    },
  );

  it.each([
    [
      'lmstudio',
      {
        '/api/v1/models': lmStudio({ loaded_instances: [{ config: { context_length: 8192, parallel: 4 } }] }),
      },
    ],
    ['llamacpp', llamaCpp({ total_slots: 4 })],
  ] as const)('returns how many requests %s answers at the same time', async (kind, routes) => {
    const { baseUrl } = await serve(routes);
    expect(await probeWindow({ kind, baseUrl, model: 'seer', timeoutMs })).toMatchObject({ slots: 4 });
  });

  it.each([
    ['lmstudio', LM_STUDIO, 'idle'],
    ['lmstudio', LM_STUDIO_OLD, 'idle'],
    ['ollama', OLLAMA, 'idle:7b'],
    ['vllm', VLLM, 'other'],
    ['vllm', { '/v1/models': { data: [{ id: 'x' }] } }, 'x'],
    ['llamacpp', { '/props': { default_generation_settings: { n_ctx: 0 } } }, 'x'],
    ['ollama', { '/api/ps': { models: [{ model: 'x', context_length: 'many' }] } }, 'x'],
  ] as const)(
    'returns undefined for %s with a model that is not loaded or not reported',
    async (kind, routes, model) => {
      const { baseUrl } = await serve(routes);
      expect(await probeWindow({ kind, baseUrl, model, timeoutMs })).toBeUndefined();
    },
  );

  it.each([
    ['LM Studio', { '/api/v1/models': lmStudio({ type: 'llm', capabilities: { vision: true } }) }, true],
    ['LM Studio', { '/api/v1/models': lmStudio({ type: 'llm', capabilities: { vision: false } }) }, false],
    ['LM Studio', { '/api/v1/models': lmStudio({ type: 'vlm' }) }, true],
    ['LM Studio', { '/api/v1/models': lmStudio({ type: 'llm' }) }, undefined],
    ['LM Studio before 0.4', { '/api/v0/models': { data: [OLD_VLM] } }, true],
    ['Ollama', ollama(['completion', 'vision']), true],
    ['Ollama', ollama(['completion', 'tools']), false],
    ['Ollama before 0.6.4', ollama(undefined), undefined],
    ['llama.cpp', llamaCpp({ modalities: { vision: true, audio: false } }), true],
    ['llama.cpp', llamaCpp({ modalities: { vision: false } }), false],
    ['an older llama.cpp', llamaCpp({}), undefined],
  ])('reports from %s whether a model accepts images: %#', async (_, routes: Routes, acceptsImages) => {
    const { baseUrl } = await serve(routes);
    const report = await probeWindow({ baseUrl, model: 'seer' });
    expect(report).toMatchObject({ windowTokens: 8192 });
    expect(report?.acceptsImages).toBe(acceptsImages);
  });

  it.each([
    ['Ollama', 'llava:7b', idleOllama({ capabilities: ['completion', 'vision'] }), true],
    ['Ollama', 'qwen3-vl:8b', idleOllama({ capabilities: ['completion', 'vision', 'tools'] }), true],
    ['Ollama', 'qwen3:8b', idleOllama({ capabilities: ['completion', 'tools'] }), false],
    ['Ollama before 0.6.4', 'llava:7b', idleOllama({ details: { families: ['llama', 'clip'] } }), true],
    ['Ollama before 0.6.4', 'llama3.2-vision', idleOllama({ details: { families: ['mllama'] } }), true],
    [
      'Ollama before 0.6.4',
      'minicpm-v',
      idleOllama({ projector_info: { 'general.type': 'projector' } }),
      true,
    ],
    ['Ollama before 0.6.4', 'qwen2.5', idleOllama({ details: { families: ['qwen2'] } }), undefined],
    ['LM Studio', 'seer', { '/api/v1/models': lmStudio({ type: 'vlm', loaded_instances: [] }) }, true],
    [
      'LM Studio before 0.4',
      'seer',
      { '/api/v0/models': { data: [{ ...OLD_VLM, state: 'not-loaded' }] } },
      true,
    ],
  ])(
    'reports the images of a model that %s has not loaded: %s',
    async (_, model, routes: Routes, acceptsImages) => {
      const { baseUrl } = await serve(routes);
      const report = await probeModel({ baseUrl, model, timeoutMs });
      expect(report?.windowTokens).toBeUndefined();
      expect(report?.acceptsImages).toBe(acceptsImages);
      expect(await probeWindow({ baseUrl, model, timeoutMs })).toBeUndefined();
    },
  );

  it('never throws without a server, for a web page, without an answer, and after an abort', async () => {
    await using closed = await holdClosedPort();
    expect(await probeWindow({ baseUrl: `${closed.url}/v1`, model: 'x' })).toBeUndefined();
    expect(await probeWindow({ baseUrl: 'not a url', model: 'x' })).toBeUndefined();
    const page = await serve({ '/v1/models': '<html></html>' });
    expect(await probeWindow({ baseUrl: page.baseUrl, model: 'x', timeoutMs })).toBeUndefined();
    const silent = await serve({ '/v1/models': null });
    expect(await probeWindow({ baseUrl: silent.baseUrl, model: 'x', timeoutMs: 50 })).toBeUndefined();
    const signal = AbortSignal.abort();
    expect(await probeWindow({ baseUrl: silent.baseUrl, model: 'x', signal })).toBeUndefined();
  });

  it('does not count the time in which this process was blocked', async () => {
    const { baseUrl } = await serve(VLLM);
    stopClock();
    const probing = probeWindow({ kind: 'vllm', baseUrl, model: 'org/model', timeoutMs: 500 });
    // After such a pause, the timer that is due runs, and then the answer is read. No time passes in the meantime.
    vi.advanceTimersToNextTimer();
    expect(await probing).toMatchObject({ windowTokens: 32_768 });
  });

  it('uses one answer if another request is never answered', async () => {
    const { baseUrl } = await serve({ ...VLLM, '/api/ps': null });
    // The deadline of the silent request is over before the other answer arrives.
    const { promise: isOver, reject: end } = Promise.withResolvers<never>();
    const timed: typeof fetch = async (input, init) => {
      if (String(input).endsWith('/api/ps')) return Promise.race([fetch(input, init), isOver]);
      const response = await fetch(input, init);
      if (String(input).endsWith('/v1/models')) end(new DOMException('No answer.', 'TimeoutError'));
      return response;
    };
    const report = await probeWindow({ baseUrl, model: 'org/model', timeoutMs, fetch: timed });
    expect(report?.windowTokens).toBe(32768);
  });
});

describe('checkServer', () => {
  const target = { provider: 'mine', model: 'x' };

  it('accepts any answer', async () => {
    const { baseUrl, asked } = await serve({});
    expect(await checkServer({ baseUrl, ...target, timeoutMs })).toBeUndefined();
    expect(asked).toEqual(['/v1/models']);
  });

  it('reports that no server listens, or that it does not answer', async () => {
    await using closed = await holdClosedPort();
    const baseUrl = `${closed.url}/v1`;
    const error = await checkServer({ baseUrl, ...target, timeoutMs });
    expect(error?.code).toBe('provider_unreachable');
    expect(error?.message).toContain(baseUrl);
    const silent = await serve({ '/v1/models': null });
    const late = await checkServer({ baseUrl: silent.baseUrl, ...target, timeoutMs: 50 });
    expect(late?.code).toBe('provider_timeout');
  });

  it('reports a refused key before any work', async () => {
    const server = createServer((request, response) => {
      response.statusCode = request.headers.authorization === 'Bearer right' ? 200 : 401;
      response.end('{}');
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    expect(await checkServer({ baseUrl, ...target, apiKey: 'right', timeoutMs })).toBeUndefined();
    expect((await checkServer({ baseUrl, ...target, apiKey: 'wrong', timeoutMs }))?.code).toBe(
      'provider_auth',
    );
    expect((await checkServer({ baseUrl, ...target, timeoutMs }))?.code).toBe('provider_auth');
  });
});

describe('local servers', () => {
  it('are found with their models, loaded models first, without embeddings', async () => {
    const [studio, ollama] = [await serve(LM_STUDIO), await serve(OLLAMA)];
    const found = await detectLocalServers({
      timeoutMs,
      candidates: [
        { name: 'lmstudio', kind: 'lmstudio', baseUrl: studio.baseUrl },
        { name: 'ollama', kind: 'ollama', baseUrl: ollama.baseUrl },
        { name: 'llamacpp', kind: 'llamacpp', baseUrl: 'http://127.0.0.1:9/v1' },
      ],
    });
    expect(found.map((server) => [server.name, server.models.map((model) => model.id)])).toEqual([
      ['lmstudio', ['qwen', 'qwen:2', 'idle']],
      ['ollama', ['llama3:latest', 'idle:7b']],
    ]);
    expect(found[0]?.models[0]).toMatchObject({ loaded: true, windowTokens: 8192 });
  });

  it('ignores another program on the port', async () => {
    const { baseUrl } = await serve({ '/v1/models': '<html></html>', '/props': { hello: 'world' } });
    const candidates = (['lmstudio', 'ollama', 'llamacpp', 'vllm'] as const).map((kind) => ({
      name: kind,
      kind,
      baseUrl,
    }));
    expect(await detectLocalServers({ candidates, timeoutMs })).toEqual([]);
  });

  it('lists the models of an OpenAI-compatible server', async () => {
    const { baseUrl } = await serve(VLLM);
    expect((await listServerModels(baseUrl, { timeoutMs })).map((model) => model.id)).toEqual(['org/model']);
    const studio = await serve({ ...LM_STUDIO, '/v1/models': { data: [{ id: 'idle' }, { id: 'qwen' }] } });
    expect((await listServerModels(studio.baseUrl, { timeoutMs }))[0]).toMatchObject({
      id: 'qwen',
      loaded: true,
    });
    const plain = await serve({ '/v1/models': { data: [{ id: 'a' }, { id: 'b' }] } });
    expect((await listServerModels(plain.baseUrl, { timeoutMs })).map((model) => model.loaded)).toEqual([
      false,
      false,
    ]);
    expect(await listServerModels('http://127.0.0.1:9/v1')).toEqual([]);
  });
});
