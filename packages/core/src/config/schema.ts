import type { JsonValue } from '@longhaul/protocol';
import * as z from 'zod';
import {
  type ConfigInput,
  DEFAULT_CONFIG,
  NOTICE_MANNERS,
  PROVIDER_KINDS,
  STRATEGY_NAMES,
} from './config.ts';

const setting = <Schema extends z.ZodType>(schema: Schema, description: string, fallback?: JsonValue) =>
  schema.meta({ description, ...(fallback === undefined ? {} : { default: fallback }) }).optional();

const D = DEFAULT_CONFIG;

const count = z.int().min(1);
const port = z.int().min(0).max(65_535);
const limit = z.number().positive().nullable();
const text = z.string().min(1);
const modelName = z
  .string()
  .regex(/^[^/\s]+\/\S+$/, { error: 'must be provider/model, such as anthropic/claude-sonnet-4-5' });
const url = z.string().refine(isHttpUrl, { error: 'must be an http:// or https:// URL' });

/** `$NAME` of a variable that is not set stays until the provider is used. */
function isHttpUrl(value: string): boolean {
  return value.startsWith('$') || (/^https?:/i.test(value) && URL.canParse(value));
}

export function isModulePath(strategy: string): boolean {
  return /^[./~]/.test(strategy) || /\.[cm]?[jt]s$/.test(strategy);
}

const rates = {
  input: z.number().min(0).meta({ description: 'US dollars for a million tokens of input.' }),
  output: z.number().min(0).meta({ description: 'US dollars for a million tokens of output.' }),
  cacheRead: setting(z.number().min(0), 'For input that came from the cache. Default: as input.'),
  cacheWrite: setting(z.number().min(0), 'For input written to the cache. Default: as input.'),
};

const price = z.strictObject({
  ...rates,
  long: setting(
    z.strictObject({
      aboveTokens: count.meta({ description: 'Tokens of input of one request.' }),
      ...rates,
    }),
    'Rates of a whole request whose input is longer than aboveTokens.',
  ),
});

const model = z.strictObject({
  window: setting(count, 'Tokens of input and output together.'),
  maxOutput: setting(count, 'Most tokens of one answer.'),
  price: setting(price, 'For the cost of a run.'),
  accepts: setting(
    z.strictObject({
      images: setting(z.boolean(), 'Default: by the catalogue, else false.'),
      files: setting(z.boolean(), 'PDF and the like. Default: by the catalogue, else false.'),
    }),
    'Media the model takes.',
  ),
  strictRoles: setting(
    z.union([z.boolean(), z.literal('alternate')]),
    'For chat templates that refuse system messages, or roles that do not alternate; alternate: the gateway leaves one system message. Default: false.',
  ),
});

const provider = z.strictObject({
  kind: setting(z.enum(PROVIDER_KINDS), "Default: the provider's name, else openai-compatible."),
  baseUrl: setting(url, 'Of an OpenAI-compatible server, usually ending in /v1.'),
  apiKey: setting(text, 'Better as $NAME, which reads the environment.'),
  models: setting(z.record(text, model), 'What the server does not tell of its models.'),
});

const agent = z.strictObject({
  model: setting(modelName, 'Default: the top-level model.'),
  prompt: setting(text, 'Path of a file, from this file.'),
  tools: setting(
    z.array(text),
    'Names of tools; * stands for any text, mcp:* for tools over MCP (not used yet). Default: all.',
  ),
});

const options = D.context.compression.options;
const compression = z.strictObject({
  strategy: setting(
    z.string().refine((name) => STRATEGY_NAMES.some((own) => own === name) || isModulePath(name), {
      error: `must be one of ${STRATEGY_NAMES.join(', ')}, or the path of a module`,
    }),
    `One of ${STRATEGY_NAMES.join(', ')}, or the path of a module.`,
    D.context.compression.strategy,
  ),
  trigger: setting(
    z
      .union([z.enum(['overflow', 'manual']), z.strictObject({ threshold: z.number().gt(0).max(1) })], {
        error: 'must be overflow, manual, or { threshold: 0.8 }',
      })
      .nullable(),
    "Overrides the strategy's own: overflow, manual, or { threshold: 0.8 }, a share of the window.",
    null,
  ),
  auto: setting(z.boolean(), 'false: an overflow is an error instead.', D.context.compression.auto),
  model: setting(
    z.string().refine((name) => /^(?:__same__|none)$/.test(name) || modelName.safeParse(name).success, {
      error: 'must be __same__, none, or provider/model',
    }),
    'Who writes summaries: __same__, none, or provider/model.',
    D.context.compression.model,
  ),
  options: setting(
    z.strictObject({
      preserveLastNTurns: setting(z.int().min(0), 'Turns kept verbatim.', options.preserveLastNTurns),
      recentMessagesToKeep: setting(
        count,
        'Messages that structured-summary keeps verbatim.',
        options.recentMessagesToKeep,
      ),
      pruneProtectTokens: setting(
        z.int().min(0),
        'Newest tool output that pruning leaves.',
        options.pruneProtectTokens,
      ),
      pruneMinimumTokens: setting(
        z.int().min(0),
        'Pruning happens only if it saves this.',
        options.pruneMinimumTokens,
      ),
      ledgerShare: setting(
        z.number().min(0).max(1),
        'Share of the room for messages that the ledger may take.',
        options.ledgerShare,
      ),
    }),
    'Numbers of the strategies.',
  ),
});

const tools = z.strictObject({
  maxOutputChars: setting(count, 'Cap for a tool without its own.', D.tools.maxOutputChars),
  bash: setting(
    z.strictObject({
      maxOutputChars: setting(count, 'Head and tail are kept.', D.tools.bash.maxOutputChars),
      timeoutMs: setting(count, 'For a command.', D.tools.bash.timeoutMs),
      maxTimeoutMs: setting(count, 'Most that a call may ask for.', D.tools.bash.maxTimeoutMs),
    }),
    'Commands.',
  ),
  read: setting(
    z.strictObject({
      maxLines: setting(count, 'Of one page.', D.tools.read.maxLines),
      maxLineLength: setting(count, 'Characters.', D.tools.read.maxLineLength),
    }),
    'Reading files.',
  ),
  grep: setting(
    z.strictObject({ maxMatches: setting(count, 'Of one call.', D.tools.grep.maxMatches) }),
    'Searching files.',
  ),
  list: setting(
    z.strictObject({ maxEntries: setting(count, 'Of one call.', D.tools.list.maxEntries) }),
    'Listing folders.',
  ),
});

const sandbox = z.strictObject({
  driver: setting(
    z.enum(['auto', 'docker', 'bubblewrap', 'local']),
    'auto: docker, else bubblewrap. local is no sandbox.',
    D.sandbox.driver,
  ),
  image: setting(text, 'Image of the docker driver.', D.sandbox.image),
  network: setting(z.enum(['on', 'off']), 'Whether commands reach the network.', D.sandbox.network),
  memoryMb: setting(count, 'For all processes together.', D.sandbox.memoryMb),
  pids: setting(count, 'Most processes at once.', D.sandbox.pids),
  cpus: setting(z.number().positive(), 'May be a fraction.', D.sandbox.cpus),
  env: setting(
    z.array(z.string().regex(/^[A-Za-z_]\w*$/, { error: 'must be the name of a variable, without $' })),
    "Names of the host's variables that commands see.",
    D.sandbox.env,
  ),
});

const limits = z.strictObject({
  steps: setting(limit, 'Model calls. null: no limit.', null),
  tokens: setting(limit, 'Of input and output. null: no limit.', null),
  costUsd: setting(limit, 'US dollars. null: no limit.', null),
  minutes: setting(limit, 'Of wall time, less that in which a person is asked. null: no limit.', null),
  repeatedCalls: setting(
    z.int().min(2).nullable(),
    'The same calls with the same results so often in a row: the model is told, then the run stops. null: never.',
    D.limits.repeatedCalls,
  ),
});

const retry = z.strictObject({
  attempts: setting(count, 'For one model call.', D.retry.attempts),
  totalMs: setting(count, 'For all attempts of one model call.', D.retry.totalMs),
  stallMs: setting(z.int().min(0), 'Silence in a stream that counts as failed. 0: never.', D.retry.stallMs),
});

const approval = z.strictObject({
  tool: text.meta({ description: 'Name of a tool; * stands for any text.' }),
  command: text.optional().meta({
    description:
      'A simple command of a shell line; * stands for any text. allow needs every command of the line allowed.',
  }),
  path: text.optional().meta({
    description:
      'A glob for the path that a call names, from the workspace. Without a slash: for its last name.',
  }),
  action: z.enum(['allow', 'ask', 'deny']).meta({
    description: 'ask: somebody is asked; where nobody can answer, it counts as deny.',
  }),
});

const gateway = z.strictObject({
  host: setting(text, 'Address to listen on; one that other machines reach needs a token.', D.gateway.host),
  port: setting(port, '0: any free one.', D.gateway.port),
  token: setting(
    text,
    'Clients bring it as their API key. Better as $NAME. Default: LONGHAUL_GATEWAY_TOKEN, else none.',
  ),
  upstreams: setting(
    z.array(
      z.strictObject({
        name: z
          .string()
          .regex(/^[A-Za-z0-9][\w.-]*$/, { error: 'must be a name of letters, digits, - and .' })
          .meta({
            description:
              'With several upstreams, the prefix of its models. Key and models of the provider of this name are its.',
          }),
        baseUrl: url.meta({ description: 'Usually ending in /v1.' }),
        compaction: setting(z.boolean(), 'false: requests pass unchanged.', true),
        apiKey: setting(text, "Better as $NAME. Default: the provider's, else the client's own passes."),
      }),
    ),
    'Servers behind the gateway.',
    D.gateway.upstreams.map((upstream) => ({ ...upstream })),
  ),
  notices: setting(
    z.enum(NOTICE_MANNERS),
    'How clients are told of a compaction: in the text, in the reasoning, in comments of the stream, or not.',
    D.gateway.notices,
  ),
  learnUsage: setting(
    z.boolean(),
    'Ask streams for their usage, and take it out again.',
    D.gateway.learnUsage,
  ),
  inputThreshold: setting(
    z.number().gt(0).max(1),
    'Share of the window from which on a request is compacted.',
    D.gateway.inputThreshold,
  ),
  warningThreshold: setting(
    z.number().gt(0).max(1),
    'Share of the window at which a stream is stopped and gone on with in a new request.',
    D.gateway.warningThreshold,
  ),
});

const openai = z.strictObject({
  onDisconnect: setting(
    z.enum(['cancel', 'continue']),
    'What happens to a turn whose client leaves.',
    D.server.openai.onDisconnect,
  ),
  ask: setting(
    z.enum(['deny', 'wait']),
    'A call that needs approval is refused, or waits for an answer over the API of sessions.',
    D.server.openai.ask,
  ),
  activity: setting(
    z.enum(['reasoning', 'comment', 'off']),
    'Where clients see what tools do: in the reasoning, in comments of the stream, or not.',
    D.server.openai.activity,
  ),
  workspace: setting(
    z.enum(['shared', 'own']),
    'Chats work in the first workspace, or each in a folder of its own below it.',
    D.server.openai.workspace,
  ),
});

/** What a `longhaul.yml` may hold. Keys that are not here are errors. Defaults are in `DEFAULT_CONFIG`. */
export const configSchema = z.strictObject({
  model: setting(modelName, 'provider/model. Default: looked for in the environment and on local ports.'),
  providers: setting(
    z.record(
      z.string().regex(/^[A-Za-z0-9][\w.-]*$/, { error: 'must be a name of letters, digits, - and .' }),
      provider,
    ),
    'Servers of models by name.',
  ),
  agents: setting(
    z.record(
      z.string().regex(/^[A-Za-z0-9][\w.-]*$/, { error: 'must be a name of letters, digits, - and .' }),
      agent,
    ),
    'Agents by name; coder is the default one, and there without being named.',
  ),
  context: setting(
    z.strictObject({
      compression: setting(compression, 'What happens when the window fills.'),
      instructions: setting(
        z.array(text),
        'Files of standing instructions, from the workspace.',
        D.context.instructions,
      ),
    }),
    'The context window.',
  ),
  tools: setting(tools, 'Limits of tools.'),
  sandbox: setting(sandbox, 'Where commands run.'),
  limits: setting(limits, 'Where a run stops.'),
  retry: setting(retry, 'When a model call fails.'),
  approvals: setting(
    z.array(approval),
    'The last that matches decides. Without one: allow in a sandbox, ask in local.',
    [],
  ),
  approvalTimeoutMs: setting(
    z.int().min(1).nullable(),
    'What nobody has answered is refused after this time. null: it waits.',
    D.approvalTimeoutMs,
  ),
  storage: setting(
    z.strictObject({
      url: setting(
        z.string().regex(/^(?:sqlite|memory|postgres|postgresql):/, {
          error: 'must start with sqlite:, memory: or postgres:',
        }),
        'Where sessions live.',
        D.storage.url,
      ),
      retention: setting(
        z.strictObject({
          days: setting(limit, 'Sessions unused for so many days may go.', D.storage.retention.days),
          maxBytes: setting(
            limit,
            'Sessions may go, the longest unused first, until database and blobs take no more.',
            D.storage.retention.maxBytes,
          ),
        }),
        'What longhaul gc may drop of sessions, once it has asked. null: nothing.',
      ),
    }),
    'Where sessions live.',
  ),
  server: setting(
    z.strictObject({
      host: setting(text, 'Address to listen on.', D.server.host),
      port: setting(port, '0: any free one.', D.server.port),
      workspaces: setting(
        z.array(text),
        'Folders that sessions may work in, or inside of. Default: the one it was started in.',
        D.server.workspaces,
      ),
      hosts: setting(
        z.array(text),
        'Names by which it may be called, beside addresses and localhost.',
        D.server.hosts,
      ),
      origins: setting(
        z.array(z.string().regex(/^https?:\/\/[^/]+$/, { error: 'must be such as https://app.example.com' })),
        'Origins of other sites whose pages may use it.',
        D.server.origins,
      ),
      maxBodyBytes: setting(count, 'Of a request.', D.server.maxBodyBytes),
      maxUploadBytes: setting(
        count,
        'Of a message with media, and of an imported file.',
        D.server.maxUploadBytes,
      ),
      requestsPerSecond: setting(
        z.number().positive().nullable(),
        'Of one address; five times as many at once. null: no limit.',
        D.server.requestsPerSecond,
      ),
      stopGraceMs: setting(z.int().min(0), 'For steps to finish when it stops.', D.server.stopGraceMs),
      openai: setting(openai, 'Agents as models of OpenAI’s API.'),
    }),
    'longhaul serve.',
  ),
  gateway: setting(gateway, 'longhaul gateway.'),
  telemetry: setting(
    z.strictObject({
      otlp: setting(
        url.nullable(),
        'Address of an OTLP collector over HTTP, such as http://127.0.0.1:4318. null: none.',
        D.telemetry.otlp,
      ),
    }),
    'Traces and metrics of runs. No prompt, answer, argument or output is sent.',
  ),
}) satisfies z.ZodType<ConfigInput, unknown>;
