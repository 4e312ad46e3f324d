import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { count, limit, setting, text } from './values.ts';

// Tools, sandbox and limits of a run.

export const tools = z.strictObject({
  maxOutputChars: setting(
    count,
    'Maximum characters in the output of a tool that has no limit of its own.',
    D.tools.maxOutputChars,
  ),
  rawResults: setting(
    z.boolean(),
    'Whether the events llm:tool-result contain rawResult: what the tool returned before it was cleaned and shortened. Events are stored, so this makes the database larger.',
    D.tools.rawResults,
  ),
  bash: setting(
    z.strictObject({
      maxOutputChars: setting(
        count,
        'Maximum characters in the output of a command. Of a longer output, the model sees the beginning and the end.',
        D.tools.bash.maxOutputChars,
      ),
      timeoutMs: setting(
        count,
        'Time limit of a command in milliseconds, if the call sets none.',
        D.tools.bash.timeoutMs,
      ),
      maxTimeoutMs: setting(
        count,
        'Longest time limit that a call can set, in milliseconds.',
        D.tools.bash.maxTimeoutMs,
      ),
    }),
    'Limits of the tool bash, which runs commands.',
  ),
  read: setting(
    z.strictObject({
      maxLines: setting(count, 'Maximum lines per call.', D.tools.read.maxLines),
      maxLineLength: setting(count, 'Maximum characters per line.', D.tools.read.maxLineLength),
    }),
    'Limits of the tool read, which reads files.',
  ),
  grep: setting(
    z.strictObject({
      maxMatches: setting(
        count,
        'Maximum number of matches that a call can ask for.',
        D.tools.grep.maxMatches,
      ),
      shownMatches: setting(
        count,
        'Number of matches shown if the call does not ask for a number.',
        D.tools.grep.shownMatches,
      ),
    }),
    'Limits of the tool grep, which searches files.',
  ),
  list: setting(
    z.strictObject({ maxEntries: setting(count, 'Maximum entries per call.', D.tools.list.maxEntries) }),
    'Limits of the tool list, which lists folders.',
  ),
  fetch: setting(
    z.strictObject({
      maxOutputChars: setting(
        count,
        'Maximum characters of a page. Of a longer page, the model sees the beginning and the end.',
        D.tools.fetch.maxOutputChars,
      ),
      privateHosts: setting(
        z.array(text),
        'Hosts on this machine or a private network that fetch may read: names or addresses, with a port or without. * matches any text.',
        D.tools.fetch.privateHosts,
      ),
    }),
    'Settings of the tool fetch, which reads web pages. It exists only if sandbox.network is on.',
  ),
});

export const sandbox = z.strictObject({
  driver: setting(
    z.enum(['auto', 'docker', 'bubblewrap', 'seatbelt', 'local']),
    'How commands are isolated. auto: docker if it works, else bubblewrap, or seatbelt on macOS. local: no isolation.',
    D.sandbox.driver,
  ),
  image: setting(text, 'Container image of the docker driver.', D.sandbox.image),
  network: setting(z.enum(['on', 'off']), 'Whether commands can reach the network.', D.sandbox.network),
  memoryMb: setting(
    count,
    'Memory limit of all processes together, in megabytes. Without cgroups, bubblewrap limits each process instead. local has no limit.',
    D.sandbox.memoryMb,
  ),
  pids: setting(count, 'Maximum number of processes.', D.sandbox.pids),
  cpus: setting(
    z.number().positive(),
    'Number of CPUs that commands can use. It can be a fraction.',
    D.sandbox.cpus,
  ),
  env: setting(
    z.union([
      z.literal('all'),
      z.array(z.string().regex(/^[A-Za-z_]\w*$/, { error: 'must be the name of a variable, without $' })),
    ]),
    'Names of the environment variables that commands receive. With the driver local, all passes every variable except the keys of providers and clouds.',
    D.sandbox.env,
  ),
  keepProcesses: setting(
    z.boolean(),
    'Whether processes that commands started in the background keep running after the run. Only with the driver local.',
    D.sandbox.keepProcesses,
  ),
});

export const limits = z.strictObject({
  steps: setting(limit, 'Maximum number of model calls. null: no limit.', null),
  tokens: setting(limit, 'Maximum number of tokens of input and output together. null: no limit.', null),
  costUsd: setting(
    limit,
    'Maximum cost in US dollars. It has an effect only if the price of the model is known. null: no limit.',
    null,
  ),
  minutes: setting(
    limit,
    'Maximum time in minutes. The time in which a call waits for approval does not count. null: no limit.',
    null,
  ),
  repeatedCalls: setting(
    z.int().min(2).nullable(),
    'After this many identical calls in a row with identical results, the model is warned. If it repeats them again, the run stops. null: never.',
    D.limits.repeatedCalls,
  ),
});

const budget = (whole: string) =>
  setting(
    z.strictObject({
      costUsd: setting(
        limit,
        'US dollars. Calls of models without a known price do not count. null: no limit.',
        null,
      ),
      tokens: setting(limit, 'Tokens of input and output together. null: no limit.', null),
    }),
    whole,
  );

export const budgets = z.strictObject({
  session: budget('What each session may use in all, together with its child sessions.'),
  token: budget(
    'What the sessions of each named token may use in all. longhaul token budget sets other values for one token.',
  ),
  tokenDay: budget(
    'What the sessions of each named token may use on one day (UTC). longhaul token budget sets other values for one token.',
  ),
  day: budget('What everything in the store may use together on one day (UTC).'),
});

export const subtasks = z.strictObject({
  atOnce: setting(
    count,
    'How many children of one session run at once. Further ones wait until one has ended.',
    D.subtasks.atOnce,
  ),
  depth: setting(
    z.int().min(0).max(5),
    'How deep families can be. 1: a session can have children, and they can have none. 0: there is no tool task.',
    D.subtasks.depth,
  ),
});

export const sessions = z.strictObject({
  titles: setting(
    z.boolean(),
    'Whether the model that writes summaries (context.compression.model) is asked for the title of a session, once, after the first step that calls a tool. Until then, and with false, the title is the first line of the task.',
    D.sessions.titles,
  ),
  talk: setting(
    z.array(text),
    'Sessions to which the agents may write with the tool send. A pattern matches the title or the agent of a session in the same workspace; * matches any text. A session of another workspace must be named by its whole id, or by a pattern of its workspace that begins with /. Empty: the tool does not exist.',
    D.sessions.talk,
  ),
});

export const continuation = z.strictObject({
  askOpenItems: setting(
    z.boolean(),
    'Whether to ask the model, once a run, to continue if its final answer leaves items of the todo list open or announces a step.',
    D.continuation.askOpenItems,
  ),
});

export const retry = z.strictObject({
  attempts: setting(count, 'Maximum number of attempts of one model call.', D.retry.attempts),
  overloadAttempts: setting(
    count,
    'Maximum number of attempts while the provider is overloaded or asks to slow down (429, 503, 529). They are counted separately.',
    D.retry.overloadAttempts,
  ),
  totalMs: setting(
    count,
    'Maximum milliseconds of all failed attempts of one model call and the waits between them.',
    D.retry.totalMs,
  ),
  stallMs: setting(
    z.int().min(0),
    'Milliseconds without data after which an attempt fails. 0: never.',
    D.retry.stallMs,
  ),
});

export const approval = z.strictObject({
  tool: text.meta({ description: 'Name of a tool. * matches any text.' }),
  command: text.optional().meta({
    description:
      'Pattern for each simple command of a shell line. * matches any text. A line is allowed only if all its commands are allowed.',
  }),
  path: text.optional().meta({
    description:
      'Glob for the path that a call names, relative to the workspace. A glob without a slash is compared only with the last part of the path, the name of the file.',
  }),
  url: text.optional().meta({
    description:
      'Pattern for the URL that a call names, such as https://*.example.com/docs/*. Scheme, host and path are compared separately.',
  }),
  action: z.enum(['allow', 'ask', 'deny']).meta({
    description:
      'What to do with a matching call. ask: a person decides. If nobody can answer, the call is denied.',
  }),
});
