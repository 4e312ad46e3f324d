import * as z from 'zod';
import { PROVIDER_KINDS } from '../config.ts';
import { count, modelName, setting, text, urlWithoutPassword } from './values.ts';

const rates = {
  input: z.number().min(0).meta({ description: 'US dollars per million tokens of input.' }),
  output: z.number().min(0).meta({ description: 'US dollars per million tokens of output.' }),
  cacheRead: setting(
    z.number().min(0),
    'US dollars per million tokens read from the cache. Default: as input.',
  ),
  cacheWrite: setting(
    z.number().min(0),
    'US dollars per million tokens written to the cache. Default: as input.',
  ),
};

const price = z.strictObject({
  ...rates,
  long: setting(
    z.strictObject({
      aboveTokens: count.meta({ description: 'Input tokens of one request.' }),
      ...rates,
    }),
    'Rates for the whole request if its input is longer than aboveTokens.',
  ),
});

const model = z.strictObject({
  window: setting(count, 'The context window: tokens of input and output together.'),
  maxOutput: setting(count, 'Maximum tokens of one answer.'),
  price: setting(price, 'Prices, for the cost of a run.'),
  accepts: setting(
    z.strictObject({
      images: setting(z.boolean(), 'Images. Default: from the catalogue, else false.'),
      files: setting(z.boolean(), 'Files such as PDF. Default: from the catalogue, else false.'),
    }),
    'Media that the model accepts.',
  ),
  strictRoles: setting(
    z.union([z.boolean(), z.literal('alternate')]),
    'true: for chat templates that refuse system messages, or roles that do not alternate. alternate: the gateway may send one system message, at the beginning. Default: false.',
  ),
});

export const provider = z.strictObject({
  kind: setting(
    z.enum(PROVIDER_KINDS),
    "The protocol. Default: the provider's name, else openai-compatible.",
  ),
  baseUrl: setting(urlWithoutPassword, 'Address of an OpenAI-compatible server; it usually ends in /v1.'),
  apiKey: setting(text, 'The API key. Better as $NAME, which reads the environment.'),
  models: setting(z.record(text, model), 'Facts about models that the server does not report.'),
});

export const agent = z.strictObject({
  model: setting(modelName, 'Default: the top-level model.'),
  prompt: setting(text, 'Path of the file with the system prompt, relative to this file.'),
  tools: setting(z.array(text), 'Names of tools; * matches any text. Default: all tools.'),
});
