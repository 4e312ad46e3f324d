import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkServer, detectLocalServers, probeWindow, type WindowReport } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { findDefaultModel } from './default-model.ts';
import { noModelMessage } from './no-model-message.ts';
import {
  type ModelSettings,
  type ResolvedModel,
  type ResolveModelOptions,
  resolveModel,
} from './resolve-model.ts';
import { modelInfoOf, type ResolveWindowOptions, resolveWindow } from './resolve-window.ts';

const NOTHING: ModelSettings = { providers: {} };
const resolve = (model: string, options: Partial<ResolveModelOptions> = {}, config = NOTHING) =>
  resolveModel(config, { model, env: {}, ...options });

function failure(action: () => unknown): LonghaulError {
  try {
    action();
  } catch (error) {
    if (error instanceof LonghaulError) return error;
    throw error;
  }
  throw new Error('It should have failed.');
}

describe('resolveModel', () => {
  it('takes windows and prices of a hosted provider from the catalogue by its host', () => {
    const at = (baseUrl: string) =>
      resolveModel(
        { providers: { mine: { kind: 'openai-compatible', baseUrl } } },
        { model: 'mine/deepseek-v4-pro', env: {} },
      );
    expect(at('https://api.deepseek.com/v1')).toMatchObject({
      windowTokens: 1_000_000,
      windowSource: 'catalogue',
      price: { input: 1.32, output: 3.96 },
    });
    expect(at('http://127.0.0.1:8000/v1').windowTokens).toBeUndefined();
  });

  it('knows window, price and media of a model in the catalogue', () => {
    const env = { ANTHROPIC_API_KEY: 'key' };
    expect(resolve('anthropic/claude-sonnet-4-5', { env })).toMatchObject({
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      kind: 'anthropic',
      apiKey: 'key',
      windowTokens: 200_000,
      windowSource: 'catalogue',
      maxOutputTokens: 64_000,
      price: { input: 3, output: 15 },
      accepts: { images: true, files: true },
    });
  });

  it('limits the input to what the provider accepts', () => {
    const { windowTokens } = resolve('openai/gpt-5.1', { env: { OPENAI_API_KEY: 'key' } });
    expect(windowTokens).toBe(272_000 + 32_000);
  });

  it.each([
    ['lmstudio/qwen/qwen3-8b', 'lmstudio', 'lmstudio', 'http://127.0.0.1:1234/v1', 'qwen/qwen3-8b'],
    ['ollama/llama3:8b', 'ollama', 'ollama', 'http://127.0.0.1:11434/v1', 'llama3:8b'],
    ['llamacpp/any', 'openai-compatible', 'llamacpp', 'http://127.0.0.1:8080/v1', 'any'],
    ['vllm/org/model', 'openai-compatible', 'vllm', 'http://127.0.0.1:8000/v1', 'org/model'],
  ])('%s needs no key and no configuration', (name, kind, serverKind, baseUrl, model) => {
    const resolved = resolve(name, { env: { OPENAI_API_KEY: 'not for this server' } });
    expect(resolved).toMatchObject({ kind, serverKind, baseUrl, model });
    expect(resolved.apiKey).toBeUndefined();
  });

  it('takes the address of openai-compatible from the flag', () => {
    const options = { baseUrl: 'http://127.0.0.1:9999/v1', apiKey: 'k' };
    expect(resolve('openai-compatible/scripted', options)).toEqual({
      provider: 'openai-compatible',
      model: 'scripted',
      kind: 'openai-compatible',
      extras: {},
      settings: { reasoning: {} },
      ...options,
    });
    const error = failure(() => resolve('openai-compatible/scripted'));
    expect(error.code).toBe('config_invalid');
    expect(error.message).toContain('--base-url');
  });

  const MINE: ModelSettings = {
    providers: {
      mine: {
        baseUrl: 'http://mine/v1',
        apiKey: '$MINE_KEY',
        cache: true,
        reasoning: { return: 'all' },
        models: {
          'org/big': {
            cache: false,
            window: 65536,
            maxOutput: 8192,
            strictRoles: true,
            price: { input: 1, output: 5 },
            accepts: { images: true },
          },
        },
      },
      anthropic: { baseUrl: 'http://proxy', apiKey: 'from-config' },
      far: { baseUrl: '$FAR_URL' },
    },
  };

  it('replaces effort and budget of a provider by either of its model', () => {
    const config: ModelSettings = {
      providers: {
        mine: {
          baseUrl: 'http://mine/v1',
          reasoning: { effort: 'high', return: 'all' },
          models: { one: { reasoning: { budgetTokens: 4_000 } } },
        },
      },
    };
    expect(resolve('mine/one', {}, config).settings?.reasoning).toEqual({
      budgetTokens: 4_000,
      return: 'all',
    });
    expect(resolve('mine/two', {}, config).settings?.reasoning).toEqual({ effort: 'high', return: 'all' });
  });

  it('refuses a native driver for Google', () => {
    const config: ModelSettings = { providers: { google: { driver: 'native', apiKey: 'k' } } };
    const error = failure(() => resolve('google/gemini-2.5-pro', {}, config));
    expect(error.code).toBe('config_invalid');
    expect(error.message).toContain('Google has only the driver ai-sdk');
  });

  it('refuses an effort beside a budget', () => {
    const config: ModelSettings = {
      providers: { mine: { baseUrl: 'http://mine/v1', reasoning: { effort: 'high', budgetTokens: 4_000 } } },
    };
    const error = failure(() => resolve('mine/one', {}, config));
    expect(error.code).toBe('config_invalid');
    expect(error.message).toMatch(/providers.mine.*effort and reasoning.budgetTokens.*one/);
  });

  it('reads strictRoles: alternate as true', () => {
    const withRoles = (strictRoles: boolean | 'alternate'): ModelSettings => ({
      providers: { mine: { baseUrl: 'http://mine/v1', models: { one: { strictRoles } } } },
    });
    expect(resolve('mine/one', {}, withRoles('alternate')).strictRoles).toBe(true);
    expect(resolve('mine/one', {}, withRoles(false)).strictRoles).toBe(false);
  });

  it('uses a configured provider, with its facts about the model', () => {
    expect(resolve('mine/org/big', { env: { MINE_KEY: 'k' } }, MINE)).toEqual({
      provider: 'mine',
      model: 'org/big',
      kind: 'openai-compatible',
      baseUrl: 'http://mine/v1',
      apiKey: 'k',
      extras: {},
      settings: { cache: false, reasoning: { return: 'all' } },
      windowTokens: 65536,
      windowSource: 'configuration',
      maxOutputTokens: 8192,
      strictRoles: true,
      price: { input: 1, output: 5 },
      accepts: { images: true },
    });
  });

  it('prefers the flag to the configuration, and that to the environment', () => {
    const env = { ANTHROPIC_API_KEY: 'from-env' };
    expect(resolve('anthropic/x', { env }, MINE)).toMatchObject({
      apiKey: 'from-config',
      baseUrl: 'http://proxy',
    });
    const flags = { env, apiKey: 'from-flag', baseUrl: 'http://flag' };
    expect(resolve('anthropic/x', flags, MINE)).toMatchObject({
      apiKey: 'from-flag',
      baseUrl: 'http://flag',
    });
    expect(resolve('anthropic/x', { env })).toMatchObject({ apiKey: 'from-env' });
  });

  it('names a variable that is not set when the provider is used', () => {
    const key = failure(() => resolve('mine/x', {}, MINE));
    expect([key.code, key.message]).toEqual(['key_missing', expect.stringContaining('$MINE_KEY')]);
    const url = failure(() => resolve('far/x', {}, MINE));
    expect([url.code, url.message]).toEqual(['config_invalid', expect.stringContaining('$FAR_URL')]);
  });

  it.each([
    ['anthropic/x', 'ANTHROPIC_API_KEY'],
    ['openai/x', 'OPENAI_API_KEY'],
    ['google/x', 'GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY'],
  ])('%s without a key names %s', (name, variable) => {
    const error = failure(() => resolve(name, { env: { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: ' ' } }));
    expect(error.code).toBe('key_missing');
    expect(error.message).toContain(variable);
  });

  it('accepts GEMINI_API_KEY for google', () => {
    expect(resolve('google/x', { env: { GEMINI_API_KEY: 'g' } }).apiKey).toBe('g');
  });

  it('suggests the nearest provider for an unknown one, and lists the known ones', () => {
    const error = failure(() => resolve('antropic/claude', {}, MINE));
    expect(error.code).toBe('unknown_model');
    expect(error.message).toContain('Did you mean "anthropic"?');
    expect(error.message).toContain('mine, anthropic, far, openai, google');
  });

  it.each(['toString/x', '__proto__/x', 'constructor/x'])('%s is not a provider', (name) => {
    expect(failure(() => resolve(name)).code).toBe('unknown_model');
  });

  it('accepts a bare name that only one provider has, in the catalogue or the configuration', () => {
    expect(resolve('claude-sonnet-4-5', { env: { ANTHROPIC_API_KEY: 'a' } })).toMatchObject({
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
    });
    const models = { 'in-house': {}, 'gpt-5.1': {} };
    const config: ModelSettings = { providers: { mine: { baseUrl: 'http://127.0.0.1:9/v1', models } } };
    expect(resolve('in-house', {}, config)).toMatchObject({ provider: 'mine', model: 'in-house' });
    expect(failure(() => resolve('gpt-5.1', {}, config)).message).toContain('mine/gpt-5.1 or openai/gpt-5.1');
  });

  it('refuses an unknown bare name with the nearest one', () => {
    const error = failure(() => resolve('claude-sonet-4-5'));
    expect(error.code).toBe('unknown_model');
    expect(error.message).toContain('Did you mean "anthropic/claude-sonnet-4-5"?');
    for (const name of ['lmstudio/', '', '/'])
      expect(failure(() => resolve(name)).code).toBe('unknown_model');
  });

  it.each(['qwen3', 'qwen/qwen3-8b', 'claude-sonnet-4-5', 'a/b/c'])(
    'accepts %s together with an address',
    (model) => {
      const baseUrl = 'http://127.0.0.1:9/v1';
      expect(resolve(model, { baseUrl })).toMatchObject({ provider: 'openai-compatible', model, baseUrl });
    },
  );

  it('uses the option, then the coder, then the top level; without any it says what to do', () => {
    const config: ModelSettings = {
      model: 'ollama/top',
      agents: { coder: { model: 'ollama/coder' } },
      providers: {},
    };
    expect(resolveModel(config, { env: {}, model: 'ollama/option' }).model).toBe('option');
    expect(resolveModel(config, { env: {} }).model).toBe('coder');
    expect(resolveModel({ ...config, agents: {} }, { env: {} }).model).toBe('top');
    const error = failure(() => resolveModel(NOTHING, { env: {} }));
    expect([error.code, error.message]).toEqual(['model_not_configured', noModelMessage()]);
  });
});

describe('findDefaultModel', () => {
  const nobody = async () => [];

  it('uses the first key of the environment, without looking for servers', async () => {
    const detect = async () => expect.unreachable('a key is enough');
    const env = { GEMINI_API_KEY: 'g', OPENAI_API_KEY: 'o' };
    expect(await findDefaultModel({ env, detect })).toMatchObject({ provider: 'openai', apiKey: 'o' });
    expect(await findDefaultModel({ env: { ANTHROPIC_API_KEY: 'a', ...env }, detect })).toMatchObject({
      provider: 'anthropic',
      windowTokens: 200_000,
    });
  });

  it('prefers a server with a loaded model to one without', async () => {
    const servers = [
      {
        name: 'lmstudio',
        kind: 'lmstudio',
        baseUrl: 'http://127.0.0.1:1234/v1',
        models: [{ id: 'idle', loaded: false, source: '' }],
      },
      {
        name: 'ollama',
        kind: 'ollama',
        baseUrl: 'http://127.0.0.1:11434/v1',
        models: [
          { id: 'idle', loaded: false, source: '' },
          { id: 'llama3:8b', loaded: true, source: '' },
        ],
      },
    ] as const;
    const first = (list: readonly (typeof servers)[number][]) =>
      findDefaultModel({
        env: {},
        detect: async () => list.map((server) => ({ ...server, models: [...server.models] })),
      });
    expect(await first(servers)).toMatchObject({ kind: 'ollama', model: 'llama3:8b' });
    expect(await first(servers.slice(0, 1))).toMatchObject({ kind: 'lmstudio', model: 'idle' });
  });

  it('is undefined if nothing is found, and the message names every way to set a model', async () => {
    expect(await findDefaultModel({ env: { OPENAI_API_KEY: '' }, detect: nobody })).toBeUndefined();
    for (const word of [
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'GEMINI_API_KEY',
      ':1234',
      ':11434',
      ':8080',
      'model: ',
      '--model',
      '--base-url',
      'longhaul demo',
    ]) {
      expect(noModelMessage()).toContain(word);
    }
  });
});

describe('resolveWindow', () => {
  const local: ResolvedModel = {
    provider: 'mine',
    model: 'org/big',
    kind: 'openai-compatible',
    baseUrl: 'http://mine/v1',
  };
  const configured: ResolvedModel = { ...local, windowTokens: 65_536, windowSource: 'configuration' };
  const says = (windowTokens: number) => async (): Promise<WindowReport> => ({
    windowTokens,
    source: 'vLLM /v1/models',
  });
  const silent = async () => undefined;

  it.each<
    [name: string, model: ResolvedModel, options: ResolveWindowOptions, window: number, source: string]
  >([
    [
      'the window the server loaded, not the configured one',
      configured,
      { probe: says(8192) },
      8192,
      'vLLM /v1/models',
    ],
    ['the same if it is larger', configured, { probe: says(131_072) }, 131_072, 'vLLM /v1/models'],
    [
      'the configuration, if the server reports nothing',
      configured,
      { probe: silent },
      65_536,
      'configuration',
    ],
    [
      'an earlier overflow, if it is below the report',
      configured,
      { probe: says(8192), remembered: async () => 4096 },
      4096,
      'an earlier overflow',
    ],
    [
      'an earlier overflow alone',
      local,
      { probe: silent, remembered: async () => 4096 },
      4096,
      'an earlier overflow',
    ],
    [
      'a report below an old overflow, because the model was loaded again',
      local,
      { probe: says(2048), remembered: async () => 4096 },
      2048,
      'vLLM /v1/models',
    ],
    [
      'the flag instead of the configuration',
      configured,
      { probe: silent, flag: 100_000 },
      100_000,
      '--window',
    ],
    ['the flag, if it is below the report', configured, { probe: says(8192), flag: 4000 }, 4000, '--window'],
    [
      'the report, if the flag is larger',
      local,
      { probe: says(8192), flag: 64_000 },
      8192,
      'vLLM /v1/models',
    ],
  ])('%s', async (_name, model, options, windowTokens, source) => {
    expect(await resolveWindow(model, options)).toMatchObject({ windowTokens, source });
  });

  it('does not ask hosted providers', async () => {
    const model = resolve('anthropic/claude-sonnet-4-5', { env: { ANTHROPIC_API_KEY: 'k' } });
    const probe = async () => expect.unreachable('it has no such answer');
    expect(await resolveWindow({ ...model, baseUrl: 'http://proxy' }, { probe })).toEqual({
      windowTokens: 200_000,
      maxOutputTokens: 64_000,
      source: 'catalogue',
    });
  });

  it('assumes a quarter of the window for an unknown output limit, and limits a known one to the window', async () => {
    expect(await resolveWindow(local, { probe: says(8192) })).toMatchObject({ maxOutputTokens: 2048 });
    expect(await resolveWindow({ ...local, maxOutputTokens: 16_000 }, { probe: says(8192) })).toMatchObject({
      maxOutputTokens: 8192,
    });
  });

  it('returns the model facts, and accepts media only if the model is known to accept them', async () => {
    const window = await resolveWindow(local, { probe: says(8192) });
    expect(modelInfoOf(local, window)).toEqual({
      provider: 'mine',
      model: 'org/big',
      windowTokens: 8192,
      maxOutputTokens: 2048,
      accepts: { images: false, files: false },
    });
  });

  it('names the setting and the flag if the window is unknown', async () => {
    const error = resolveWindow(local, { probe: silent });
    await expect(error).rejects.toMatchObject({ code: 'window_unknown' });
    await expect(error).rejects.toThrow('providers.mine.models."org/big".window');
    await expect(error).rejects.toThrow('--window');
  });

  it('throws provider_unreachable if the server is unreachable and the window is unknown', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    await new Promise((done) => server.close(done));
    const options = { check: checkServer, probe: probeWindow };
    const error = resolveWindow({ ...local, baseUrl }, options);
    await expect(error).rejects.toMatchObject({ code: 'provider_unreachable' });
    await expect(error).rejects.toThrow(baseUrl);
    expect(await resolveWindow({ ...configured, baseUrl }, options)).toMatchObject({ windowTokens: 65_536 });
  });

  it('finds a real server on its port, and asks for its window', async () => {
    const server = createServer((request, response) => {
      response.statusCode = request.url === '/v1/models' ? 200 : 404;
      response.end(JSON.stringify({ data: [{ id: 'org/model', max_model_len: 12_000 }] }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const candidates = [{ name: 'vllm', kind: 'vllm', baseUrl } as const];
    const found = await findDefaultModel({ env: {}, detect: () => detectLocalServers({ candidates }) });
    expect(found).toMatchObject({ provider: 'vllm', model: 'org/model', baseUrl });
    if (found)
      expect(await resolveWindow(found, { probe: probeWindow })).toMatchObject({ windowTokens: 12_000 });
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
});
