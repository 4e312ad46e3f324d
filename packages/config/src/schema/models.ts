import * as z from 'zod';
import { PROVIDER_KINDS } from '../config.ts';
import { count, modelName, setting, text, urlWithoutPassword } from './values.ts';

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

export const provider = z.strictObject({
  kind: setting(z.enum(PROVIDER_KINDS), "Default: the provider's name, else openai-compatible."),
  baseUrl: setting(urlWithoutPassword, 'Of an OpenAI-compatible server, usually ending in /v1.'),
  apiKey: setting(text, 'Better as $NAME, which reads the environment.'),
  models: setting(z.record(text, model), 'What the server does not tell of its models.'),
});

export const agent = z.strictObject({
  model: setting(modelName, 'Default: the top-level model.'),
  prompt: setting(text, 'Path of a file, from this file.'),
  tools: setting(
    z.array(text),
    'Names of tools; * stands for any text, mcp:* for tools over MCP (not used yet). Default: all.',
  ),
});
