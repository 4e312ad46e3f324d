import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ErrorCode } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { mapProviderError } from './map-provider-error.ts';
import type { ProviderFailure } from './verdict.ts';

type Failure = Partial<ProviderFailure>;

const map = (failure: Failure) => mapProviderError({ provider: 'mine', model: 'big', ...failure });
/** An address without a server. */
async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

const openAi = (message: string, more: object = {}) => JSON.stringify({ error: { message, ...more } });

describe('an overflow in the words of each server', () => {
  const rows: [name: string, failure: Failure, windowTokens?: number, requestTokens?: number][] = [
    [
      'OpenAI, by code and words',
      {
        status: 400,
        body: openAi(
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 10123 tokens.",
          { type: 'invalid_request_error', code: 'context_length_exceeded' },
        ),
      },
      8192,
      10123,
    ],
    [
      'OpenAI, by code alone',
      { status: 400, body: openAi('No.', { code: 'context_length_exceeded' }) },
      undefined,
      undefined,
    ],
    [
      'OpenAI, by words alone',
      { status: 400, body: openAi('Your input exceeds the context window of this model.') },
    ],
    [
      'OpenAI, configured limit',
      {
        status: 400,
        body: openAi(
          'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300123 tokens. Please reduce the length of the messages.',
        ),
      },
      272000,
      300123,
    ],
    ...(
      [
        [
          'vLLM, with the room for the answer',
          "This model's maximum context length is 196608 tokens. However, you requested 16384 output tokens and your prompt contains at least 180225 input tokens, for a total of at least 196609 tokens.",
          196608,
          180225,
        ],
        [
          'OpenRouter, with the room for the answer',
          "This endpoint's maximum context length is 262144 tokens. However, you requested about 264896 tokens (52139 of text input, 12757 of tool input, 200000 in the output).",
          262144,
          64896,
        ],
        ['Fireworks', 'The prompt is too long: 140000, model maximum context length: 131072', 131072, 140000],
        [
          'Cerebras, with sizes',
          'Please reduce the length of the messages or completion. Current length is 140000 while limit is 131072',
          131072,
          140000,
        ],
        [
          'Cohere',
          'too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 140000. Try using a shorter prompt.',
          128000,
          140000,
        ],
        [
          'Volcengine',
          'Input length 140000 exceeds the maximum length 131072. Request id: x',
          131072,
          140000,
        ],
        ['Volcengine, messages', 'Total tokens of image and text exceed max message tokens.'],
        [
          'LM Studio, reached',
          'Reached context length of 4096 tokens with current model, but this feature needs more.',
          4096,
        ],
        ["Ollama's cloud", 'prompt too long; exceeded max context length by 2000 tokens'],
        ["Ollama's cloud, older", 'prompt too long; exceeded context length by 4'],
        ['Moonshot, bytes', 'total message size 10176584 exceeds limit 2097152'],
      ] satisfies [string, string, number?, number?][]
    ).map(([name, text, windowTokens, requestTokens]): (typeof rows)[number] => [
      name,
      { status: 400, body: openAi(text) },
      windowTokens,
      requestTokens,
    ]),
    [
      'Anthropic, too long',
      {
        status: 400,
        body: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210001 tokens > 200000 maximum"}}',
      },
      200000,
      210001,
    ],
    [
      'Anthropic, with max_tokens',
      {
        status: 400,
        body: openAi('input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'),
      },
      200000,
      190000,
    ],
    [
      'Anthropic, 32 MB',
      {
        status: 413,
        body: '{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
      },
    ],
    ['Anthropic, stop reason', { message: 'stop reason model_context_window_exceeded' }],
    [
      'Google',
      {
        status: 400,
        body: '[{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}]',
      },
      1048576,
      1200000,
    ],
    [
      'Bedrock',
      {
        status: 400,
        body: '{"__type":"ValidationException","message":"Input is too long for requested model."}',
      },
    ],
    [
      'xAI',
      {
        status: 400,
        body: '{"code":"Client specified an invalid argument","error":"This model\'s maximum prompt length is 131072 but the request contains 140000 tokens."}',
      },
      131072,
      140000,
    ],
    ['Groq', { status: 400, body: openAi('Please reduce the length of the messages or completion.') }],
    [
      'Mistral',
      {
        status: 400,
        body: '{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":"3051"}',
      },
      32768,
      40000,
    ],
    ['Cerebras, 400 without a body', { provider: 'cerebras', status: 400, body: '' }],
    ['Cerebras, 413 without a body', { provider: 'cerebras', status: 413 }],
    [
      'DeepSeek',
      {
        status: 400,
        body: openAi(
          "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (66000 in the messages, 4000 in the completion).",
          { code: 'invalid_request_error' },
        ),
      },
      65536,
      66000,
    ],
    [
      'OpenRouter',
      {
        status: 400,
        body: '{"error":{"code":400,"message":"This endpoint\'s maximum context length is 128000 tokens. However, you requested about 130500 tokens (130000 of text input, 500 of tool input)."}}',
      },
      128000,
      130500,
    ],
    [
      'OpenRouter, the upstream error inside',
      {
        status: 400,
        body: JSON.stringify({
          error: {
            message: 'Provider returned error',
            code: 400,
            metadata: {
              raw: '{"error":{"message":"prompt is too long: 210001 tokens > 200000 maximum"}}',
              provider_name: 'Anthropic',
            },
          },
        }),
      },
      200000,
      210001,
    ],
    [
      'vLLM',
      {
        status: 400,
        body: '{"object":"error","message":"This model\'s maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.","type":"BadRequestError","code":400}',
      },
      4096,
      5000,
    ],
    [
      'vLLM, older',
      {
        status: 400,
        body: openAi(
          "You passed 5001 input tokens and requested 100 output tokens. However, the model's context length is only 4096 tokens",
        ),
      },
      4096,
      5001,
    ],
    [
      'llama.cpp, by type and fields',
      {
        status: 400,
        body: '{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9001,"n_ctx":8192}}',
      },
      8192,
      9001,
    ],
    [
      'LM Studio, a bare string',
      {
        status: 400,
        body: '{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 8300>= n_ctx: 8192). Try to load the model with a larger context length."}',
      },
      8192,
      8300,
    ],
    [
      'LM Studio, an SSE error event',
      {
        status: 200,
        body: 'event: error\ndata: {"error":{"message":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 8300>= n_ctx: 8192)."}}\n\n',
      },
      8192,
      8300,
    ],
    [
      'LM Studio, keeping',
      {
        status: 400,
        body: '{"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}',
      },
      4096,
      9000,
    ],
    [
      'LM Studio, truncating',
      { status: 400, body: '{"error":"Cannot truncate prompt with n_keep (9000) >= n_ctx (4096)"}' },
      4096,
      9000,
    ],
    [
      'Ollama, code null',
      {
        status: 400,
        body: '{"error":{"message":"prompt is longer than the context length currently available","type":"invalid_request_error","param":null,"code":null}}',
      },
    ],
    [
      'Ollama, with numbers',
      {
        status: 400,
        body: '{"error":"input length (9000 tokens) exceeds the model\'s maximum context length (8192 tokens)"}',
      },
      8192,
      9000,
    ],
    [
      'Qwen',
      {
        status: 400,
        body: openAi(
          '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]',
        ),
      },
      129024,
    ],
    ['z.ai, by code', { status: 400, body: '{"error":{"code":"1261","message":"Prompt 超长"}}' }],
    [
      'Together',
      {
        status: 422,
        body: openAi("The input (40000 tokens) is longer than the model's context length (32769 tokens)."),
      },
      32769,
      40000,
    ],
    [
      'Copilot',
      { status: 400, body: openAi('prompt token count of 136124 exceeds the limit of 128000') },
      128000,
      136124,
    ],
    [
      'Kimi',
      {
        status: 400,
        body: openAi('Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)'),
      },
      262144,
      300000,
    ],
    ['MiniMax', { status: 400, body: openAi('invalid params, context window exceeds limit (2013)') }],
    [
      'SGLang',
      {
        status: 400,
        body: openAi(
          "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens: 36000 tokens from the input messages and 4000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
        ),
      },
      32768,
      36000,
    ],
    [
      'SGLang, without sizes of its parts',
      {
        status: 400,
        body: openAi("Requested token count exceeds the model's maximum context length of 32768"),
      },
      32768,
      undefined,
    ],
    [
      'llama.cpp and LM Studio, size exceeded',
      { status: 500, body: openAi('Context size has been exceeded.') },
      undefined,
      undefined,
    ],
    [
      'vLLM, decoder prompt',
      {
        status: 400,
        body: openAi(
          'The decoder prompt (length 40000) is longer than the maximum model length of 32768. Make sure that `max_model_len` is no smaller than the number of text tokens.',
        ),
      },
      32768,
      40000,
    ],
    [
      'vLLM, total length',
      {
        status: 400,
        body: openAi(
          'The prompt (total length 9000) is too long to fit into the model (context length 8192). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.',
        ),
      },
      8192,
      9000,
    ],
    [
      'TGI, with max_new_tokens',
      {
        status: 422,
        body: openAi(
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 500 `max_new_tokens`',
        ),
      },
      4096,
      4000,
    ],
    [
      'TGI, inputs',
      {
        status: 422,
        body: openAi('Input validation error: `inputs` must have less than 4095 tokens. Given: 5000'),
      },
      4095,
      5000,
    ],
    [
      'GitHub Models',
      { status: 413, body: openAi('Request body too large for gpt-4o model. Max size: 8000 tokens.') },
      8000,
      undefined,
    ],
    [
      'Cloudflare',
      {
        status: 400,
        body: openAi(
          'AiError: The estimated number of input and maximum output tokens (10000) exceeded this model context window limit (7968).',
        ),
      },
      7968,
      undefined,
    ],
    [
      'SiliconFlow',
      { status: 400, body: openAi('length of prompt_tokens (35000) must be less than max_seq_len (32768).') },
      32768,
      35000,
    ],
    [
      'SiliconFlow, in all',
      {
        status: 400,
        body: openAi('max_total_tokens (36000) must be less than or equal to max_seq_len (32768)'),
      },
      32768,
      undefined,
    ],
    [
      'TabbyAPI',
      { status: 400, body: openAi('Prompt length 40000 is greater than max_seq_len 32768') },
      32768,
      40000,
    ],
    [
      'Groq, more tokens than a minute has',
      {
        status: 413,
        body: openAi(
          'Request too large for model `x` in organization `o` service tier `on_demand` on tokens per minute (TPM): Limit 8000, Requested 33094, please reduce your message size and try again.',
        ),
      },
      8000,
      undefined,
    ],
    [
      'OpenAI, more tokens than a minute has',
      {
        status: 429,
        body: openAi(
          'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.',
        ),
      },
      30000,
      undefined,
    ],
    [
      'vLLM, as a bare object in a stream',
      {
        body: '{"object":"error","message":"This model\'s maximum context length is 8192 tokens. However, your request has 9000 input tokens.","type":"BadRequestError","param":null,"code":400}',
      },
      8192,
      9000,
    ],
    [
      'numbers with thousands separators',
      { status: 400, body: openAi('prompt is too long: 210,001 tokens > 200,000 maximum') },
      200000,
      210001,
    ],
  ];

  it.each(rows)('%s', (_name, failure, windowTokens, requestTokens) => {
    const error = map(failure);
    expect(error.code).toBe('context_overflow');
    expect(error.data['windowTokens']).toBe(windowTokens);
    expect(error.data['requestTokens']).toBe(requestTokens);
    expect(error.retryable).toBe(false);
  });
});

describe('errors that resemble an overflow', () => {
  const rows: [name: string, failure: Failure, code: ErrorCode][] = [
    [
      'Bedrock throttling',
      {
        status: 429,
        body: '{"message":"Too many tokens, please wait before trying again."}',
      },
      'provider_rate_limit',
    ],
    [
      'Bedrock throttling as a 400',
      {
        status: 400,
        body: '{"__type":"com.amazon.coral#ThrottlingException","message":"Too many tokens, please wait before trying again."}',
      },
      'provider_rate_limit',
    ],
    [
      'Bedrock throttling inside a stream',
      { message: 'Too many tokens, please wait before trying again.', status: 200 },
      'provider_rate_limit',
    ],
    [
      'a 500 that names 4500 tokens',
      { status: 500, body: openAi('Failed after generating 4500 tokens') },
      'provider_bad_response',
    ],
    [
      'OpenAI tokens a minute',
      {
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
        status: 413,
        body: openAi(
          'Rate limit reached for model `x` on tokens per minute (TPM): Limit 6000, Used 4000, Requested 5000. Please try again in 30s.',
          { type: 'tokens', code: 'rate_limit_exceeded' },
        ),
      },
      'provider_rate_limit',
    ],
    [
      'a rate limit that quotes the window',
      { status: 429, body: openAi('maximum context length is 8192 tokens') },
      'provider_rate_limit',
    ],
    ['an empty 400 of another provider', { status: 400, body: '' }, 'provider_bad_request'],
    ['an empty 413 of another provider', { status: 413 }, 'provider_bad_request'],
    [
      'too many tools',
      { status: 400, body: openAi('The number of tools (200) exceeds the limit of 128.') },
      'provider_bad_request',
    ],
    [
      'an image that is too big',
      { status: 400, body: openAi('messages.3.image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes') },
      'provider_bad_request',
    ],
    [
      'too large a max_tokens',
      { status: 400, body: openAi('max_tokens: 200000 > 64000, which is the maximum allowed') },
      'provider_bad_request',
    ],
    [
      'nginx, 413 as a page',
      { status: 413, body: '<html><head><title>413 Request Entity Too Large</title></head></html>' },
      'provider_bad_request',
    ],
  ];

  it.each(rows)('%s', (_name, failure, code) => {
    expect(map(failure).code).toBe(code);
  });
});

it.each<[string, object, object]>([
  [
    'a call that Groq could not read can be tried again',
    { error: { message: 'Failed to call a function.', code: 'tool_use_failed' } },
    { code: 'provider_bad_response', retryable: true },
  ],
  [
    'a message in the field param is read',
    {
      error: {
        code: '400',
        message: 'Param Incorrect',
        param: 'The reasoning_content in the thinking mode must be passed back to the API.',
      },
    },
    { code: 'provider_bad_request', data: { reasoning: 'required' } },
  ],
])('%s', (_name, body, expected) => {
  const error = mapProviderError({ provider: 'p', model: 'm', status: 400, body: JSON.stringify(body) });
  expect(error).toMatchObject(expected);
});

describe('other errors', () => {
  const rows: [name: string, failure: Failure, code: ErrorCode][] = [
    ['401', { status: 401, body: openAi('Incorrect API key provided') }, 'provider_auth'],
    ['403', { status: 403, body: '' }, 'provider_auth'],
    [
      'Google, a bad key is a 400',
      {
        status: 400,
        body: '{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}',
      },
      'provider_auth',
    ],
    ['402', { status: 402, body: '{}' }, 'provider_quota'],
    [
      'OpenAI, no credit is a 429',
      { status: 429, body: openAi('You exceeded your current quota', { code: 'insufficient_quota' }) },
      'provider_quota',
    ],
    [
      'Anthropic, no credit is a 400',
      { status: 400, body: openAi('Your credit balance is too low to access the Anthropic API.') },
      'provider_quota',
    ],
    ['404', { status: 404, body: openAi('The model `x` does not exist') }, 'model_not_found'],
    [
      'Ollama, 404',
      { status: 404, body: '{"error":"model \\"x\\" not found, try pulling it first"}' },
      'model_not_found',
    ],
    ['429', { status: 429 }, 'provider_rate_limit'],
    [
      'Anthropic 529',
      { status: 529, body: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' },
      'provider_overloaded',
    ],
    [
      'Anthropic overloaded inside a stream',
      { status: 200, body: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' },
      'provider_overloaded',
    ],
    ['503', { status: 503 }, 'provider_overloaded'],
    ['504', { status: 504 }, 'provider_timeout'],
    ['500', { status: 500, body: openAi('The server had an error') }, 'provider_bad_response'],
    ['400', { status: 400, body: openAi('messages.1: role must be user') }, 'provider_bad_request'],
    [
      'content filter',
      { status: 400, body: openAi('no', { code: 'content_filter' }) },
      'provider_content_filter',
    ],
    [
      'Ollama, no tools',
      { status: 400, body: '{"error":"registry.ollama.ai/library/x does not support tools"}' },
      'tools_unsupported',
    ],
    [
      'OpenRouter, no tools is a 404',
      { status: 404, body: openAi('No endpoints found that support tool use.') },
      'tools_unsupported',
    ],
    [
      'vLLM, no tools',
      {
        status: 400,
        body: openAi(
          '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        ),
      },
      'tools_unsupported',
    ],
    [
      'llama.cpp, no images',
      {
        status: 500,
        body: openAi(
          'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
        ),
      },
      'input_unsupported',
    ],
    [
      'a page with 200',
      { status: 200, body: '<!DOCTYPE html><html><body>Login</body></html>' },
      'provider_bad_response',
    ],
    ['a page with 404', { status: 404, body: '<html></html>' }, 'model_not_found'],
    ['a page with 502', { status: 502, body: '<html></html>' }, 'provider_bad_response'],
    ['an empty failure', {}, 'provider_bad_response'],
  ];

  it.each(rows)('%s', (_name, failure, code) => {
    expect(map(failure).code).toBe(code);
  });

  it.each([
    ['ECONNREFUSED', undefined, 'provider_unreachable'],
    ['ENOTFOUND', undefined, 'provider_unreachable'],
    ['ECONNRESET', undefined, 'provider_unreachable'],
    ['ECONNRESET', 200, 'provider_stream_cut'],
    ['UND_ERR_CONNECT_TIMEOUT', undefined, 'provider_timeout'],
    ['UND_ERR_HEADERS_TIMEOUT', undefined, 'provider_timeout'],
    ['ETIMEDOUT', undefined, 'provider_timeout'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', undefined, 'provider_unreachable'],
  ] as const)('%s with status %s deep in the causes is %s', (code, status, expected) => {
    const cause = new TypeError('fetch failed', {
      cause: new AggregateError([Object.assign(new Error('connect'), { code })]),
    });
    const error = map({
      cause: new Error('Cannot connect to API', { cause }),
      url: 'http://127.0.0.1:1234/v1/chat/completions',
      status,
    });
    expect(error.code).toBe(expected);
    expect(error.message).toContain('http://127.0.0.1:1234/v1/chat/completions');
    expect(error.message).toContain(code);
    expect(error.retryable).toBe(true);
  });

  it('suggests that the base URL is wrong for an empty 404, in spite of text that the client library adds', () => {
    const url = 'http://127.0.0.1:1234/chat/completions';
    expect(map({ status: 404, message: 'Not Found', url }).message).toContain('usually ends in /v1');
    expect(map({ status: 404, body: openAi('no model x'), url }).message).not.toContain('/v1');
  });

  it('ignores a request that is quoted in an error', () => {
    const quoted = `${'x'.repeat(2000)} prompt is too long: 5 tokens > 4 maximum; rate limit`;
    expect(map({ status: 400, body: openAi(`Invalid message: ${quoted}`) }).code).toBe(
      'provider_bad_request',
    );
  });

  it('reports a refused connection with its address and advice', async () => {
    const url = await closedPort();
    const cause = await fetch(url).catch((error: unknown) => error);
    const error = map({ cause, url, provider: 'lmstudio' });
    expect(error.code).toBe('provider_unreachable');
    expect(error.message).toContain(url);
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.message).toContain('baseUrl of the provider lmstudio is right');
  });

  it('reports a port that fetch blocks, and does not retry', async () => {
    const cause = await fetch('http://127.0.0.1:9/v1').catch((error: unknown) => error);
    const error = map({ cause: new Error('Cannot connect to API', { cause }), url: 'http://127.0.0.1:9/v1' });
    expect(error).toMatchObject({ code: 'provider_bad_request', retryable: false });
    expect(error.message).toMatch(/port that fetch blocks \(bad port\).*another port/);
  });

  it('reports a wrong base URL for a 404 about the address', () => {
    const url = 'http://127.0.0.1:1234/chat/completions';
    for (const text of ['Invalid URL (POST /chat/completions)', 'Unexpected endpoint', 'Cannot POST /chat']) {
      const error = map({ status: 404, body: openAi(text), url });
      expect(error.message).toMatch(/nothing at this address.*usually ends in \/v1.*It said/);
      expect(error.code).toBe('provider_bad_request');
    }
  });

  it.each([
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['openai', 'OPENAI_API_KEY'],
    ['google', 'GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY'],
    ['mine', 'providers.mine.apiKey'],
    ['constructor', 'providers.constructor.apiKey'],
  ])('names the variable for a refused key of %s: %s', (provider, variable) => {
    expect(map({ provider, status: 401 }).message).toContain(variable);
  });
});

describe('the time to wait', () => {
  const now = Date.parse('Fri, 27 Nov 2026 10:00:00 GMT');
  it.each<[string, Failure, number | undefined]>([
    ['seconds', { headers: { 'Retry-After': '7' } }, 7000],
    ['milliseconds before seconds', { headers: { 'retry-after': '7', 'retry-after-ms': '1500' } }, 1500],
    ['a date', { headers: { 'retry-after': 'Fri, 27 Nov 2026 10:00:30 GMT' } }, 30_000],
    ['a date in the past', { headers: { 'retry-after': 'Fri, 27 Nov 2026 09:00:00 GMT' } }, 0],
    ['nonsense', { headers: { 'retry-after': 'soon' } }, undefined],
    [
      'Google',
      { body: '{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"13s"}]}}' },
      13_000,
    ],
    [
      'OpenAI in words',
      { body: openAi('Rate limit reached. Please try again in 6m1.5s. Visit us.') },
      361_500,
    ],
    ['OpenAI in milliseconds', { body: openAi('Please try again in 20ms.') }, 20],
    ['nothing', {}, undefined],
  ])('%s', (_name, failure, expected) => {
    expect(map({ status: 429, now, ...failure }).data['retryAfterMs']).toBe(expected);
  });
});

describe('secrets', () => {
  it.each([
    'sk-proj-abcdefghijklmnop',
    'sk-ant-api03-abc_def-ghijklmnop',
    'AIzaSyA1234567890abcdefg',
    'gsk_abcdefghijklmnop',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc',
  ])('never shows %s in the message', (key) => {
    const error = map({ status: 401, body: openAi(`Incorrect API key provided: ${key}. Bearer ${key}`) });
    expect(error.message).toContain('Incorrect API key provided');
    expect(error.message).not.toContain(key.slice(6));
  });

  it('masks a given key without a known shape, also at the end of a cut text', () => {
    const key = 'my-own-key-0123456789';
    const error = map({ status: 400, body: openAi(`${'x'.repeat(290)} ${key}`), secrets: [key] });
    expect(error.message).not.toContain('my-own');
  });

  it('leaves out user, password and query of the address', () => {
    const error = map({ status: 500, url: 'https://me:hunter2@host/v1/chat?key=AIzaSyA1234567890abcdefg' });
    expect(error.message).toContain('https://host/v1/chat');
    expect(error.message).not.toMatch(/hunter2|AIza/);
  });

  it('cuts a long body', () => {
    expect(map({ status: 400, body: 'x'.repeat(1_000_000) }).message.length).toBeLessThan(600);
  });
});

describe('a refusal about the reasoning of earlier answers', () => {
  const mistral = {
    detail: [
      {
        type: 'extra_forbidden',
        loc: ['body', 'messages', 2, 'assistant', 'reasoning_content'],
        msg: 'Extra inputs are not permitted',
      },
    ],
  };
  const inner =
    '{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 13","type":"invalid_request_error"}}';
  const throughOpenRouter = {
    error: { message: 'Provider returned error', code: 400, metadata: { raw: inner } },
  };

  it.each([
    ['required', openAi('The `reasoning_content` in the thinking mode must be passed back to the API.')],
    ['required', openAi('Missing reasoning_content field in the assistant message at message index 2.')],
    [
      'required',
      openAi(
        'thinking is enabled but reasoning_content is missing in assistant tool call message at index 3',
      ),
    ],
    ['required', JSON.stringify(throughOpenRouter)],
    [
      'required',
      JSON.stringify({ detail: [{ loc: ['messages', 2, 'reasoning_content'], msg: 'Field required' }] }),
    ],
    [
      'refused',
      openAi(
        "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
      ),
    ],
    ['refused', openAi("Unrecognized request argument supplied: messages[2]['reasoning_content']")],
    ['refused', openAi('Additional properties are not allowed: reasoning_details')],
    ['refused', JSON.stringify(mistral)],
    [undefined, openAi('reasoning_effort is not supported with this model')],
    [undefined, openAi('Invalid value for messages.2.content')],
  ])('is %s: %s', (reasoning, body) => {
    const { code, data } = map({ status: 400, body });
    expect(code).toBe('provider_bad_request');
    expect(data['reasoning']).toBe(reasoning);
  });
});

describe('a refusal because of content', () => {
  const page = '<html><body><h1>413 Request Entity Too Large</h1></body></html>';

  it.each<[number, string, object | undefined]>([
    [400, openAi('Could not process image'), { about: 'media' }],
    [
      400,
      openAi(
        'messages.7.content.1.image.source.base64: image exceeds 5 MB maximum: 5741236 bytes > 5242880 bytes',
      ),
      { about: 'media', path: 'messages.7.content.1.image.source.base64' },
    ],
    [400, openAi('The PDF specified is password protected.'), { about: 'media' }],
    [
      400,
      openAi('Invalid image.', { param: 'messages.[3].content.[1].image_url' }),
      { about: 'media', path: 'messages.[3].content.[1].image_url' },
    ],
    [
      400,
      openAi("Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern."),
      { about: 'part', path: 'messages[1].tool_calls[0].function.name' },
    ],
    [
      400,
      openAi("Invalid 'input[3].name': string does not match pattern."),
      { about: 'part', path: 'input[3].name' },
    ],
    [
      400,
      openAi('* GenerateContentRequest.contents[3].parts[1].function_call.name: Invalid'),
      { about: 'part', path: 'contents[3].parts[1].function_call.name' },
    ],
    [400, openAi('assistant message at index 4 is not accepted'), { about: 'part', path: 'messages.4' }],
    [400, openAi('This model does not support image input'), { about: 'media', isAboutAll: true }],
    [400, openAi('m is not a multimodal model'), { about: 'media', isAboutAll: true }],
    [
      422,
      JSON.stringify({
        detail: [{ loc: ['body', 'messages', 2, 'content'], msg: 'Input should be a valid string' }],
      }),
      { about: 'part', path: 'messages.2.content' },
    ],
    [413, page, { about: 'media' }],
    [413, '', { about: 'media' }],
    [400, openAi('Unknown parameter'), { about: 'unknown' }],
    [401, openAi('No image for you'), undefined],
    [404, openAi('no image model'), undefined],
    [500, openAi('image crashed'), undefined],
    [400, openAi('prompt is too long: 210001 tokens > 200000 maximum'), undefined],
  ])('%i %s', (status, body, content) => {
    expect(map({ status, body }).data['content']).toEqual(content);
  });
});

describe('a refusal of the maximum length of an answer', () => {
  const rows: [name: string, text: string, data: object][] = [
    [
      'OpenAI',
      'max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.',
      { maxOutputTokens: 16_384 },
    ],
    [
      'Anthropic',
      'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku',
      { maxOutputTokens: 8_192 },
    ],
    [
      'DeepSeek',
      'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]',
      { maxOutputTokens: 8_192 },
    ],
    [
      'Groq',
      '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
      { maxOutputTokens: 8_192 },
    ],
    [
      'Google',
      'Unable to submit request because it has a maxOutputTokens value of 65536 but the supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and try again.',
      { maxOutputTokens: 8_192 },
    ],
    [
      'an unknown server, with a number',
      'max_completion_tokens 50000 exceeds the maximum output limit of 4096',
      { maxOutputTokens: 4_096 },
    ],
    ['an unknown server, without a number', 'max_tokens is too large', { maxOutputTokens: 0 }],
    [
      'OpenAI, the field',
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { maxTokensField: 'max_completion_tokens' },
    ],
    [
      'an older server, the field',
      '`max_completion_tokens` is not supported. Please use `max_tokens`.',
      { maxTokensField: 'max_tokens' },
    ],
  ];

  it.each(rows)('is read: %s', (_name, text, data) => {
    const error = map({ status: 400, body: openAi(text) });
    expect([error.code, error.data]).toEqual(['provider_bad_request', expect.objectContaining(data)]);
    expect(error.message).toMatch(/Set providers\.mine\./);
  });

  it.each([
    "'max_tokens' is too large: 4096. This model's maximum context length is 4096 tokens and your request has 200 input tokens (4096 > 4096 - 200).",
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
  ])('is none if the window is full: %s', (text) => {
    expect(map({ status: 400, body: openAi(text) }).code).toBe('context_overflow');
  });
});

describe('a model inside Longhaul', () => {
  const inside = { provider: 'embedded', model: '/models/a.gguf', url: 'http://embedded.invalid/v1/chat' };

  it('is called by its name, not by an address', () => {
    const { message } = map({ ...inside, status: 400, body: openAi('no') });
    expect(message).toMatch(/^embedded:\/models\/a\.gguf refused/);
  });

  it('is on no server that could be started', () => {
    const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    const { code, message } = map({ ...inside, cause });
    expect(code).toBe('provider_unreachable');
    expect(message).toMatch(/^The process of embedded:\/models\/a\.gguf ended \(ECONNRESET\)/);
  });
});

describe('what a server or a proxy reports besides an error of the API', () => {
  const page = '<html><body>Error</body></html>';
  it.each([
    [413, 'provider_bad_request', /does not accept requests this large/],
    [404, 'model_not_found', /base URL/],
    [500, 'provider_bad_response', /failed, or a proxy in front of it/],
    [502, 'provider_bad_response', /failed, or a proxy in front of it/],
  ])('reports a page with HTTP %i as a page', (status, code, message) => {
    const error = map({ status, body: page, url: 'https://mine.example/v1/chat/completions' });
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
    if (status !== 404) expect(error.message).not.toContain('base URL');
  });

  it.each<[string, Failure, ErrorCode, RegExp]>([
    [
      'OpenAI, region',
      {
        status: 403,
        body: openAi('Country, region, or territory not supported', {
          code: 'unsupported_country_region_territory',
        }),
      },
      'provider_bad_request',
      /country or region of this machine/,
    ],
    [
      'Google, region',
      {
        status: 400,
        body: '{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}',
      },
      'provider_bad_request',
      /country or region of this machine/,
    ],
    ['a firewall', { status: 403, body: page }, 'provider_bad_request', /firewall or proxy/],
    [
      'OpenRouter, data policy',
      {
        status: 404,
        body: openAi('No endpoints found matching your data policy (Free model publication).'),
      },
      'model_not_found',
      /data policy or its list of providers/,
    ],
    [
      'OpenRouter, flagged',
      {
        status: 403,
        body: openAi('openai/gpt requires moderation on OpenAI. Your input was flagged for "violence".'),
      },
      'provider_content_filter',
      /content policy/,
    ],
  ])('does not take %s for a wrong key or name', (_, failure, code, message) => {
    const error = map(failure);
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
    expect(error.message).not.toMatch(/API key|has no model/);
  });

  it.each([
    ['a page', '<html></html>'],
    ['no body', ''],
    ['a text', openAi('Not Found')],
    ['the code of Anthropic', '{"type":"error","error":{"type":"not_found_error","message":"Not Found"}}'],
  ])('does not take a missing operation for a missing model: %s', (_, body) => {
    const error = map({ status: 404, body, operation: '/v1/responses/compact' });
    expect(error.code).toBe('provider_bad_request');
    expect(error.message).toContain('does not have the operation /v1/responses/compact');
    expect(error.message).not.toContain('has no model');
  });

  it('recognises a missing model in the refusal of an operation', () => {
    const operation = '/v1/messages/count_tokens';
    const body = openAi('There is nothing.', { code: 'model_not_found' });
    expect(map({ status: 404, body, operation }).code).toBe('model_not_found');
  });

  it('does not take a missing item for a missing model', () => {
    const body = openAi(
      "Item with id 'rs_68d4' not found. Items are not persisted when `store` is set to false.",
    );
    const error = map({ status: 404, body });
    expect(error.code).toBe('provider_bad_request');
    expect(error.message).not.toContain('has no model');
  });
});

describe('an error without a message', () => {
  it.each([400, 422, 418, 500, 502])('quotes the beginning of its body: HTTP %i', (status) => {
    const body =
      '{"ok":false,\n"problem":{"at":"tools[3].schema","why":"no\\u0007 way","key":"sk-abcdefgh12345678"}}';
    const { message } = map({ status, body, message: 'Bad Request', secrets: ['own-secret'] });
    expect(message).toContain(`(HTTP ${status})`);
    expect(message).toContain('It said: "{"ok":false, "problem":{"at":"tools[3].schema","why":"no');
    expect(message).not.toContain('sk-abc');
    expect(message).not.toContain('no reason');
  });

  it.each([
    ['a list', '[1,"a"]'],
    ['codes only', '{"error":{"code":400}}'],
    ['text in JSON', '"nope"'],
    ['text', 'nope'],
    ['control characters', 'no\u001b[31m pe\u0000'],
  ])('quotes %s', (_name, body) => {
    const { message } = map({ status: 400, body });
    expect(message).toMatch(/It said: ".+"$/);
    expect(message).not.toMatch(/\p{Cc}/u);
  });

  it('quotes at most 300 characters, and no key', () => {
    const body = JSON.stringify({ trace: `secret-of-mine ${'x'.repeat(5_000)}` });
    const { message } = map({ status: 400, body, secrets: ['secret-of-mine'] });
    expect(message.length).toBeLessThan(400);
    expect(message).toContain('{"trace":"[key] xxx');
  });

  it.each<[number, string | undefined, string]>([
    [400, undefined, ''],
    [400, '', 'Bad Request'],
    [422, '{}', 'Unprocessable Entity'],
    [400, ' { } ', ''],
    [400, 'null', ''],
    [400, '""', ''],
  ])(
    'says that the server gave no reason, and what to try: HTTP %i with body %j',
    (status, body, message) => {
      expect(map({ status, body, message }).message).toContain(
        `(HTTP ${status}). It gave no reason. Look into its log, check the name of the model and the base URL, and try a request without`,
      );
    },
  );

  it.each([500, 502])('explains where to look for the reason of HTTP %i', (status) => {
    const { message } = map({ status, body: '', message: 'Internal Server Error' });
    expect(message).toContain(`failed (HTTP ${status}). It gave no reason. Look into its log.`);
  });
});
