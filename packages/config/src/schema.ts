import * as z from 'zod';
import { type ConfigInput, DEFAULT_CONFIG as D } from './config.ts';
import { context } from './schema/context.ts';
import { gateway } from './schema/gateway.ts';
import { agent, provider } from './schema/models.ts';
import { approval, limits, retry, sandbox, tools } from './schema/run.ts';
import { server } from './schema/server.ts';
import { storage } from './schema/storage.ts';
import { modelName, name, setting, url } from './schema/values.ts';

/** The schema of `longhaul.yml`. Other keys are errors. Defaults are in `DEFAULT_CONFIG`. */
export const configSchema = z.strictObject({
  model: setting(
    modelName,
    'provider/model. Default: one for an API key in the environment, else one of a local server.',
  ),
  providers: setting(z.record(name, provider), 'Model servers by name.'),
  agents: setting(z.record(name, agent), 'Agents by name. coder is the default agent and always exists.'),
  context: setting(context, 'The context window.'),
  tools: setting(tools, 'Limits of the tools.'),
  sandbox: setting(sandbox, 'The sandbox of commands.'),
  limits: setting(limits, 'Limits at which a run stops.'),
  retry: setting(retry, 'Retries of a failed model call.'),
  approvals: setting(
    z.array(approval),
    'The last matching rule decides. Without one: allow in a sandbox, ask in local.',
    [],
  ),
  approvalTimeoutMs: setting(
    z.int().min(1).nullable(),
    'Milliseconds after which an unanswered request is refused. null: never.',
    D.approvalTimeoutMs,
  ),
  storage: setting(storage, 'Where sessions are stored.'),
  server: setting(server, 'Settings of longhaul serve.'),
  gateway: setting(gateway, 'Settings of longhaul gateway.'),
  telemetry: setting(
    z.strictObject({
      otlp: setting(
        url.nullable(),
        'Address of an OTLP collector over HTTP, such as http://127.0.0.1:4318. null: none.',
        D.telemetry.otlp,
      ),
    }),
    'Traces and metrics of runs. Prompts, answers, arguments and outputs are not sent.',
  ),
}) satisfies z.ZodType<ConfigInput, unknown>;
