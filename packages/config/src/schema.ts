import * as z from 'zod';
import { type ConfigInput, DEFAULT_CONFIG as D } from './config.ts';
import { context } from './schema/context.ts';
import { gateway } from './schema/gateway.ts';
import { agent, provider } from './schema/models.ts';
import { approval, limits, retry, sandbox, tools } from './schema/run.ts';
import { server } from './schema/server.ts';
import { storage } from './schema/storage.ts';
import { modelName, name, setting, url } from './schema/values.ts';

/** What a `longhaul.yml` may hold. Keys that are not here are errors. Defaults are in `DEFAULT_CONFIG`. */
export const configSchema = z.strictObject({
  model: setting(modelName, 'provider/model. Default: looked for in the environment and on local ports.'),
  providers: setting(z.record(name, provider), 'Servers of models by name.'),
  agents: setting(
    z.record(name, agent),
    'Agents by name; coder is the default one, and there without being named.',
  ),
  context: setting(context, 'The context window.'),
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
  storage: setting(storage, 'Where sessions live.'),
  server: setting(server, 'longhaul serve.'),
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
