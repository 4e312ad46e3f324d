import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '@longhaul/protocol';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ChatServer, startChatServer, startStream } from '../test/chat-server.ts';
import { failureOf, MODEL_INFO } from '../test/drive.ts';
import { tested } from '../test/tested-driver.ts';
import { createModelDriver } from './model-driver.ts';
import type { ProviderKind } from './wire-profile.ts';

/** What a server sends, byte by byte. */
interface Answer {
  kind?: ProviderKind;
  provider?: string;
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Events of a stream with status 200, sent instead of a body. */
  stream?: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const openAi = (message: string, more: object = {}) => JSON.stringify({ error: { message, ...more } });
const anthropic = (type: string, message: string) =>
  JSON.stringify({ type: 'error', error: { type, message } });
const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const chatChunk = (delta: object, finishReason: string | null = null, more: object = {}) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finishReason }],
  ...more,
});
const anthropicStart = {
  type: 'message_start',
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 200_000, output_tokens: 0 },
  },
};
const KEEP = 'The number of tokens to keep from the initial prompt is greater than the context length';

let server: ChatServer;
beforeAll(async () => {
  server = await startChatServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function answered({ kind = 'openai-compatible', provider, status = 400, ...sent }: Answer) {
  server.answer((response: ServerResponse) => {
    if (sent.stream !== undefined) {
      startStream(response);
      response.end(sent.stream);
      return;
    }
    const type = sent.body?.startsWith('<') === true ? { 'content-type': 'text/html' } : JSON_TYPE;
    response.writeHead(status, sent.body === undefined ? sent.headers : { ...type, ...sent.headers });
    response.end(sent.body ?? '');
  });
  const driver = await createModelDriver({
    kind,
    provider: provider ?? kind,
    model: 'big',
    baseUrl: server.url,
    apiKey: 'sk-test-0123456789abcdef',
    info: MODEL_INFO,
    ...tested,
  });
  return failureOf(driver);
}

/**
 * One row for each form in which a server reports that a prompt is too long. Without numbers if the message names none.
 */
const TOO_LONG: [name: string, answer: Answer, windowTokens?: number, requestTokens?: number][] = [
  [
    'OpenAI: code',
    {
      kind: 'openai',
      body: openAi('Too long.', { code: 'context_length_exceeded', type: 'invalid_request_error' }),
    },
  ],
  [
    'OpenAI: context window',
    { kind: 'openai', body: openAi('Your input exceeds the context window of this model.') },
  ],
  [
    'OpenAI: configured limit',
    {
      kind: 'openai',
      body: openAi(
        'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300123 tokens. Please reduce the length of the messages.',
      ),
    },
    272_000,
    300_123,
  ],
  [
    'OpenAI: an error event in the stream',
    {
      kind: 'openai',
      stream: sse(
        { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
        {
          type: 'error',
          sequence_number: 1,
          error: {
            type: 'invalid_request_error',
            code: 'context_length_exceeded',
            message: 'Your input exceeds the context window of this model.',
            param: 'input',
          },
        },
      ),
    },
  ],
  [
    'Anthropic: prompt is too long',
    {
      kind: 'anthropic',
      body: anthropic('invalid_request_error', 'prompt is too long: 210001 tokens > 200000 maximum'),
    },
    200_000,
    210_001,
  ],
  [
    'Anthropic: 32 MB',
    {
      kind: 'anthropic',
      status: 413,
      body: anthropic('request_too_large', 'Request exceeds the maximum size'),
    },
  ],
  [
    'Anthropic: stop reason without content',
    {
      kind: 'anthropic',
      stream: sse(
        anthropicStart,
        {
          type: 'message_delta',
          delta: { stop_reason: 'model_context_window_exceeded', stop_sequence: null },
          usage: { output_tokens: 0 },
        },
        { type: 'message_stop' },
      ),
    },
    undefined,
    200_000,
  ],
  [
    'Google',
    {
      kind: 'google',
      body: '{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}',
    },
    1_048_576,
    1_200_000,
  ],
  [
    'Bedrock',
    {
      provider: 'bedrock',
      body: '{"__type":"ValidationException","message":"Input is too long for requested model."}',
    },
  ],
  [
    'Bedrock, with Anthropic’s message',
    { provider: 'bedrock', body: '{"message":"prompt is too long: 210001 tokens > 200000 maximum"}' },
    200_000,
    210_001,
  ],
  [
    'xAI',
    {
      provider: 'xai',
      body: '{"code":"Client specified an invalid argument","error":"This model\'s maximum prompt length is 131072 but the request contains 140000 tokens."}',
    },
    131_072,
    140_000,
  ],
  [
    'Groq',
    {
      provider: 'groq',
      body: openAi('Please reduce the length of the messages or completion.', {
        type: 'invalid_request_error',
        param: 'messages',
      }),
    },
  ],
  [
    'Mistral',
    {
      provider: 'mistral',
      body: '{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":"3051"}',
    },
    32_768,
    40_000,
  ],
  ['Cerebras: 400 without a body', { provider: 'cerebras', status: 400 }],
  ['Cerebras: 413 without a body', { provider: 'cerebras', status: 413 }],
  [
    'DeepSeek',
    {
      provider: 'deepseek',
      body: openAi(
        "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (66000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
        { type: 'invalid_request_error', param: null, code: 'invalid_request_error' },
      ),
    },
    65_536,
    66_000,
  ],
  [
    'OpenRouter',
    {
      provider: 'openrouter',
      body: '{"error":{"code":400,"message":"This endpoint\'s maximum context length is 128000 tokens. However, you requested about 130500 tokens (130000 of text input, 500 of tool input). Please reduce the length of either one."}}',
    },
    128_000,
    130_500,
  ],
  [
    'OpenRouter: in the stream',
    {
      provider: 'openrouter',
      stream: sse({
        ...chatChunk({ content: '' }, 'error'),
        error: {
          code: 400,
          message:
            "This endpoint's maximum context length is 128000 tokens. However, you requested about 130500 tokens.",
        },
      }),
    },
    128_000,
    130_500,
  ],
  [
    'vLLM',
    {
      provider: 'vllm',
      body: '{"object":"error","message":"This model\'s maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.","type":"BadRequestError","param":null,"code":400}',
    },
    4_096,
    5_000,
  ],
  [
    'vLLM: you passed',
    {
      provider: 'vllm',
      body: openAi(
        "You passed 5001 input tokens and requested 100 output tokens. However, the model's context length is only 4096 tokens",
      ),
    },
    4_096,
    5_001,
  ],
  [
    'llama.cpp',
    {
      provider: 'llamacpp',
      body: '{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9001,"n_ctx":8192}}',
    },
    8_192,
    9_001,
  ],
  [
    'LM Studio: a bare string',
    {
      kind: 'lmstudio',
      body: JSON.stringify({
        error: `${KEEP} (n_keep: 8300>= n_ctx: 8192). Try to load the model with a larger context length.`,
      }),
    },
    8_192,
    8_300,
  ],
  [
    'LM Studio: an error event',
    {
      kind: 'lmstudio',
      stream: `event: error\n${sse({ error: { message: `${KEEP} (n_keep: 8300>= n_ctx: 8192).` } })}`,
    },
    8_192,
    8_300,
  ],
  [
    'LM Studio: an error event with a bare string',
    { kind: 'lmstudio', stream: `event: error\n${sse({ error: `${KEEP} (n_keep: 8300>= n_ctx: 8192).` })}` },
    8_192,
    8_300,
  ],
  [
    'LM Studio: keeping',
    {
      kind: 'lmstudio',
      body: '{"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}',
    },
    4_096,
    9_000,
  ],
  [
    'LM Studio: truncating',
    { kind: 'lmstudio', body: '{"error":"Cannot truncate prompt with n_keep (9000) >= n_ctx (4096)"}' },
    4_096,
    9_000,
  ],
  [
    'Ollama: code null',
    {
      kind: 'ollama',
      body: '{"error":{"message":"prompt is longer than the context length currently available","type":"invalid_request_error","param":null,"code":null}}',
    },
  ],
  [
    'Ollama: with numbers',
    {
      kind: 'ollama',
      body: '{"error":"input length (9000 tokens) exceeds the model\'s maximum context length (8192 tokens)"}',
    },
    8_192,
    9_000,
  ],
  [
    'Qwen',
    {
      provider: 'qwen',
      body: openAi('<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]', {
        code: 'invalid_parameter_error',
      }),
    },
    129_024,
  ],
  ['z.ai: by code', { provider: 'zai', body: '{"error":{"code":"1261","message":"Prompt 超长"}}' }],
  [
    'Together',
    {
      provider: 'together',
      status: 422,
      body: openAi("The input (40000 tokens) is longer than the model's context length (32769 tokens)."),
    },
    32_769,
    40_000,
  ],
  [
    'Copilot',
    {
      provider: 'copilot',
      body: openAi('prompt token count of 136124 exceeds the limit of 128000', {
        code: 'model_max_prompt_tokens_exceeded',
      }),
    },
    128_000,
    136_124,
  ],
  [
    'Kimi',
    {
      provider: 'kimi',
      body: openAi('Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)', {
        type: 'invalid_request_error',
      }),
    },
    262_144,
    300_000,
  ],
  ['MiniMax', { provider: 'minimax', body: openAi('invalid params, context window exceeds limit (2013)') }],
];

describe('recognises a prompt that is too long in the form of each server', () => {
  it.each(TOO_LONG)('%s', async (_name, answer, windowTokens, requestTokens) => {
    const error = await answered(answer);
    expect(error.code).toBe('context_overflow');
    expect([error.data['windowTokens'], error.data['requestTokens']]).toEqual([windowTokens, requestTokens]);
    expect(error.message).not.toContain('0123456789abcdef');
  });
});

const LOOK_ALIKES: [name: string, answer: Answer, code: ErrorCode][] = [
  [
    'Bedrock throttling',
    {
      provider: 'bedrock',
      status: 429,
      body: '{"message":"Too many tokens, please wait before trying again."}',
    },
    'provider_rate_limit',
  ],
  [
    'Bedrock throttling as a 400',
    {
      provider: 'bedrock',
      body: '{"__type":"com.amazon.coral#ThrottlingException","message":"Too many tokens, please wait before trying again."}',
    },
    'provider_rate_limit',
  ],
  [
    'Bedrock throttling in the stream',
    {
      provider: 'bedrock',
      stream: sse({ error: { message: 'Too many tokens, please wait before trying again.' } }),
    },
    'provider_rate_limit',
  ],
  [
    'OpenAI tokens a minute',
    {
      kind: 'openai',
      status: 429,
      body: openAi(
        'Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 25000, Requested 10000. Please try again in 10s.',
        { type: 'tokens', code: 'rate_limit_exceeded' },
      ),
    },
    'provider_rate_limit',
  ],
  [
    'Groq tokens a minute, as a 413',
    {
      provider: 'groq',
      status: 413,
      body: openAi(
        'Rate limit reached for model `x` on tokens per minute (TPM): Limit 6000, Used 4000, Requested 5000. Please try again in 30s.',
        { type: 'tokens', code: 'rate_limit_exceeded' },
      ),
    },
    'provider_rate_limit',
  ],
  [
    'Anthropic input tokens a minute',
    {
      kind: 'anthropic',
      status: 429,
      body: anthropic(
        'rate_limit_error',
        "This request would exceed your organization's rate limit of 40,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested.",
      ),
    },
    'provider_rate_limit',
  ],
  [
    'a 429 that quotes a window',
    { status: 429, body: openAi('maximum context length is 8192 tokens') },
    'provider_rate_limit',
  ],
  ['an empty 413 of another provider', { status: 413 }, 'provider_bad_request'],
  ['an empty 400 of another provider', { status: 400 }, 'provider_bad_request'],
  [
    'a proxy’s 413 as a page',
    { status: 413, body: '<html><head><title>413 Request Entity Too Large</title></head></html>' },
    'provider_bad_request',
  ],
  [
    'a 500 that names 4500 tokens',
    { status: 500, body: openAi('Failed after generating 4500 tokens') },
    'provider_bad_response',
  ],
  [
    'too large a max_tokens',
    {
      kind: 'anthropic',
      body: anthropic('invalid_request_error', 'max_tokens: 200000 > 64000, which is the maximum allowed'),
    },
    'provider_bad_request',
  ],
  [
    'too many tools',
    { kind: 'openai', body: openAi('The number of tools (200) exceeds the limit of 128.') },
    'provider_bad_request',
  ],
  [
    'no credit left, as a 429',
    {
      kind: 'openai',
      status: 429,
      body: openAi('You exceeded your current quota', { code: 'insufficient_quota' }),
    },
    'provider_quota',
  ],
];

describe('does not mistake other errors for a prompt that is too long', () => {
  it.each(LOOK_ALIKES)('%s', async (_name, answer, code) => {
    expect((await answered(answer)).code).toBe(code);
  });
});

const NO_TOOLS: [name: string, answer: Answer, advice: string][] = [
  [
    'Ollama',
    {
      kind: 'ollama',
      body: '{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error","param":null,"code":null}}',
    },
    'ollama show',
  ],
  [
    'vLLM',
    {
      provider: 'vllm',
      body: '{"object":"error","message":"\\"auto\\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}',
    },
    '--enable-auto-tool-choice',
  ],
  [
    'llama.cpp',
    {
      provider: 'llamacpp',
      status: 500,
      body: '{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}',
    },
    '--jinja',
  ],
  [
    'OpenAI',
    {
      kind: 'openai',
      body: openAi("Unsupported parameter: 'tools' is not supported with this model.", {
        type: 'invalid_request_error',
        param: 'tools',
        code: 'unsupported_parameter',
      }),
    },
    'Choose a model',
  ],
  [
    'OpenAI, a hosted tool',
    { kind: 'openai', body: openAi('This model does not support function calling.') },
    'Choose a model',
  ],
  ['LM Studio', { kind: 'lmstudio', body: '{"error":"Model does not support tool use"}' }, 'Choose a model'],
  [
    'Google',
    {
      kind: 'google',
      body: '{"error":{"code":400,"message":"Function calling is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}',
    },
    'Choose a model',
  ],
  [
    'Groq',
    { provider: 'groq', body: openAi('`tool calling` is not supported with this model') },
    'Choose a model',
  ],
  [
    'OpenRouter',
    {
      provider: 'openrouter',
      status: 404,
      body: '{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing","code":404}}',
    },
    'Choose a model',
  ],
  [
    'DeepSeek',
    { provider: 'deepseek', body: openAi('deepseek-reasoner does not support Function Calling') },
    'Choose a model',
  ],
  [
    'Bedrock',
    { provider: 'bedrock', body: '{"message":"This model doesn\'t support tool use in streaming mode."}' },
    'Choose a model',
  ],
];

describe('recognises a model without tools, and says what to do', () => {
  it.each(NO_TOOLS)('%s', async (_name, answer, advice) => {
    const error = await answered(answer);
    expect(error.code).toBe('tools_unsupported');
    expect(error.retryable).toBe(false);
    expect(error.message).toContain(advice);
  });
});

describe('reads how long to wait from', () => {
  const now = Date.UTC(2026, 0, 2, 3, 4, 5);

  it.each<[name: string, headers: Record<string, string>, retryAfterMs: number]>([
    ['retry-after in seconds', { 'retry-after': '7' }, 7_000],
    ['retry-after-ms', { 'retry-after-ms': '150', 'retry-after': '7' }, 150],
    ['retry-after as a date', { 'retry-after': new Date(now + 60_000).toUTCString() }, 60_000],
  ])('%s', async (_name, headers, retryAfterMs) => {
    vi.useFakeTimers({ toFake: ['Date'], now });
    onTestFinished(() => void vi.useRealTimers());
    const error = await answered({ status: 429, headers, body: openAi('slow down') });
    expect(error.code).toBe('provider_rate_limit');
    expect(error.data['retryAfterMs']).toBe(retryAfterMs);
  });
});

describe('an error in a body of JSON with status 200', () => {
  it.each<[string, ErrorCode]>([
    ['{"error":{"message":"no credits left","code":402}}', 'provider_quota'],
    ['{"error":{"message":"no credits left","code":"402"}}', 'provider_quota'],
    ['{"error":{"message":"who are you","code":401}}', 'provider_auth'],
    ['{"error":{"message":"slow down"},"code":429}', 'provider_rate_limit'],
    ['{"error":{"message":"it broke","code":500}}', 'provider_bad_response'],
    [`{"error":"model 'big' not found"}`, 'model_not_found'],
    ['{"error":"Unexpected endpoint or method. (POST /chat/completions)"}', 'provider_bad_request'],
  ])('is mapped by the code that it names: %s', async (body, code) => {
    expect(await answered({ status: 200, body })).toMatchObject({ code });
  });

  it('maps a missing model in a stream too', async () => {
    const stream = sse({ error: { message: "model 'big' not found" } });
    expect(await answered({ stream })).toMatchObject({ code: 'model_not_found' });
  });

  it('is quoted if it is a bare detail', async () => {
    const error = await answered({ status: 200, body: '{"detail":"Model not loaded"}' });
    expect(error.code).toBe('provider_bad_request');
    expect(error.message).toContain('It said: "Model not loaded"');
    expect(error.message).not.toContain('baseUrl');
  });
});
