import * as z from 'zod';
import { type ConfigInput, DEFAULT_CONFIG as D } from './config.ts';
import { cluster } from './schema/cluster.ts';
import { context } from './schema/context.ts';
import { embedded } from './schema/embedded.ts';
import { files } from './schema/files.ts';
import { gateway } from './schema/gateway.ts';
import { git } from './schema/git.ts';
import { hook } from './schema/hooks.ts';
import { mcp } from './schema/mcp.ts';
import { agent, provider } from './schema/models.ts';
import {
  approval,
  budgets,
  continuation,
  limits,
  retry,
  sandbox,
  sessions,
  subtasks,
  tools,
} from './schema/run.ts';
import { server } from './schema/server.ts';
import { storage } from './schema/storage.ts';
import { modelName, name, setting, url } from './schema/values.ts';

/** The schema of `longhaul.yml`. Other keys are errors. Defaults are in `DEFAULT_CONFIG`. */
export const configSchema = z.strictObject({
  model: setting(
    modelName,
    'The model, as provider/model. Default: a model of the first provider whose key is set or stored with longhaul login, else a model of a local server that is running.',
  ),
  providers: setting(z.record(name, provider), 'Providers of models, by name.'),
  agents: setting(
    z.record(name, agent),
    'Agents, by name. The default agent is coder. It exists even if it is not configured.',
  ),
  context: setting(context, 'What the model receives.'),
  tools: setting(tools, 'Limits of the tools.'),
  sandbox: setting(sandbox, 'The sandbox of commands.'),
  files: setting(files, 'Recording of the files that change in the workspace.'),
  hooks: setting(z.record(name, hook), 'Commands that run at events of a run, by name.'),
  mcp: setting(mcp, 'Servers of the Model Context Protocol, whose tools the agent can call.'),
  compat: setting(
    z.strictObject({
      claude: setting(
        z.boolean(),
        'Whether Claude Code’s commands (.claude/commands of the workspace, in longhaul chat), skills (.claude/skills) and hooks (.claude/settings.json) are read too.',
        D.compat.claude,
      ),
    }),
    'Files of other agents that are read too.',
  ),
  terminal: setting(
    z.strictObject({
      theme: setting(
        z.enum(['auto', 'dark', 'light']),
        'Whether colours are chosen for a dark or a light background. auto: for the background that the terminal reports, or for a dark one if it reports none.',
        D.terminal.theme,
      ),
    }),
    'What is shown in a terminal.',
  ),
  limits: setting(limits, 'Limits at which a run stops.'),
  budgets: setting(
    budgets,
    'Limits of what model calls use together, over all runs. When one is reached, no further call is made.',
  ),
  subtasks: setting(subtasks, 'Child sessions, which the tool task starts.'),
  sessions: setting(sessions, 'What sessions are called, and which ones agents may write to.'),
  continuation: setting(continuation, 'Answers that end too early.'),
  retry: setting(retry, 'Retries of a failed model call.'),
  approvals: setting(
    z.array(approval),
    'Rules for tool calls. The last matching rule decides. If no rule matches, the call is allowed. There is one exception: with the sandbox driver local, a call that can change something needs approval if somebody can answer.',
    [],
  ),
  approvalTimeoutMs: setting(
    z.int().min(1).nullable(),
    'Milliseconds after which a request for approval that nobody has answered is refused. null: never.',
    D.approvalTimeoutMs,
  ),
  storage: setting(storage, 'Where sessions are stored.'),
  server: setting(server, 'Settings of longhaul serve.'),
  cluster: setting(cluster, 'Several servers with one PostgreSQL database.'),
  git: setting(git, 'Repositories that are cloned for sessions.'),
  web: setting(
    z.strictObject({
      enabled: setting(
        z.boolean(),
        'Whether longhaul serve and longhaul gateway serve their pages at /. false turns off only the pages, not the API.',
        D.web.enabled,
      ),
    }),
    'The pages of longhaul serve and longhaul gateway.',
  ),
  gateway: setting(gateway, 'Settings of longhaul gateway.'),
  telemetry: setting(
    z.strictObject({
      otlp: setting(
        url.nullable(),
        'Address of a collector that accepts OTLP over HTTP, such as http://127.0.0.1:4318. null: nothing is sent.',
        D.telemetry.otlp,
      ),
    }),
    'Where traces and metrics of runs are sent. They never contain prompts, answers, arguments or outputs.',
  ),
  embedded: setting(embedded, 'Models of the provider embedded, which run on this machine inside Longhaul.'),
}) satisfies z.ZodType<ConfigInput, unknown>;
