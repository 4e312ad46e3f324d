import * as z from 'zod';
import { PROVIDER_KINDS } from '../config.ts';
import { callSettings } from './call-settings.ts';
import { compression } from './context.ts';
import { limits } from './run.ts';
import {
  body,
  count,
  headerName,
  headerValue,
  modelName,
  setting,
  text,
  urlWithoutPassword,
} from './values.ts';

const rates = {
  input: z.number().min(0).meta({ description: 'US dollars per million tokens of input.' }),
  output: z.number().min(0).meta({ description: 'US dollars per million tokens of output.' }),
  cacheRead: setting(
    z.number().min(0),
    'US dollars per million tokens read from the cache. Default: the price of input.',
  ),
  cacheWrite: setting(
    z.number().min(0),
    'US dollars per million tokens written to the cache. Default: the price of input.',
  ),
};

const price = z.strictObject({
  ...rates,
  long: setting(
    z.strictObject({
      aboveTokens: count.meta({ description: 'Number of input tokens above which the long prices apply.' }),
      ...rates,
    }),
    'Prices for the whole request if its input is longer than aboveTokens.',
  ),
});

const accepts = setting(
  z.strictObject({
    images: setting(
      z.boolean(),
      'Whether the model accepts images. Default: the value in the built-in catalogue, else what a local server reports, else false.',
    ),
    files: setting(
      z.boolean(),
      'Whether the model accepts files such as PDF. Default: the value in the built-in catalogue, else false.',
    ),
  }),
  'Which media the model accepts.',
);

const model = z.strictObject({
  window: setting(count, 'Context window of the model: tokens of input and output together.'),
  maxOutput: setting(count, 'Maximum tokens of one answer.'),
  price: setting(price, 'Prices of the model, from which the cost of a run is computed.'),
  accepts,
  ...callSettings,
  strictRoles: setting(
    z.union([z.boolean(), z.literal('alternate')]),
    'For models with a strict chat template. true: the template refuses system messages, or requires that user and assistant alternate. alternate: the same, but the gateway may send one system message at the beginning. Default: false.',
  ),
});

export const provider = z.strictObject({
  kind: setting(
    z.enum(PROVIDER_KINDS),
    "Kind of the provider's API. Default: the provider's name if it is a kind, else openai-compatible.",
  ),
  baseUrl: setting(
    urlWithoutPassword,
    'Address of the server. For an OpenAI-compatible server, it usually ends in /v1.',
  ),
  apiKey: setting(text, 'API key. Use $NAME to read it from the environment.'),
  headers: setting(
    z.record(headerName, headerValue),
    'Headers of each request to this provider. They are sent to its address alone, like the key. Use $NAME to read a value from the environment.',
  ),
  body: setting(
    body,
    'Fields merged into the JSON body of each request, for settings that Longhaul does not have. null removes a field. The conversation, the tools, stream and more than one answer (n) cannot be set.',
  ),
  ...callSettings,
  accepts,
  models: setting(z.record(text, model), 'Models by name, with facts that the server does not report.'),
});

export const agent = z.strictObject({
  description: setting(z.string().min(1).max(500), 'What the agent is for, shown where people choose one.'),
  model: setting(modelName, 'Model of the agent, as provider/model. Default: the top-level model.'),
  prompt: setting(text, 'Path of the file with the system prompt, relative to this file.'),
  tools: setting(z.array(text), 'Names of the tools of the agent. * matches any text. Default: all tools.'),
  context: setting(
    z.strictObject({
      compression: setting(
        compression,
        'The keys of context.compression, for the sessions of this agent. A key that is missing here has the value of that section.',
      ),
    }),
    'What the model of this agent receives.',
  ),
  limits: setting(
    limits,
    'The keys of limits, for the runs of this agent. A key that is missing here has the value of that section.',
  ),
});
