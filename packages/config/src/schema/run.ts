import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { count, limit, setting, text } from './values.ts';

// Tools, sandbox and limits of a run.

export const tools = z.strictObject({
  maxOutputChars: setting(
    count,
    'Maximum characters of output of a tool without a limit of its own.',
    D.tools.maxOutputChars,
  ),
  bash: setting(
    z.strictObject({
      maxOutputChars: setting(
        count,
        'Maximum characters of output of a command. The beginning and the end are kept.',
        D.tools.bash.maxOutputChars,
      ),
      timeoutMs: setting(count, 'Default time limit of a command, in milliseconds.', D.tools.bash.timeoutMs),
      maxTimeoutMs: setting(count, 'Longest time limit that a call can request.', D.tools.bash.maxTimeoutMs),
    }),
    'Commands.',
  ),
  read: setting(
    z.strictObject({
      maxLines: setting(count, 'Maximum lines per call.', D.tools.read.maxLines),
      maxLineLength: setting(count, 'Maximum characters per line.', D.tools.read.maxLineLength),
    }),
    'Reading files.',
  ),
  grep: setting(
    z.strictObject({ maxMatches: setting(count, 'Maximum matches per call.', D.tools.grep.maxMatches) }),
    'Searching files.',
  ),
  list: setting(
    z.strictObject({ maxEntries: setting(count, 'Maximum entries per call.', D.tools.list.maxEntries) }),
    'Listing folders.',
  ),
});

export const sandbox = z.strictObject({
  driver: setting(
    z.enum(['auto', 'docker', 'bubblewrap', 'local']),
    'auto: docker, else bubblewrap. local: no isolation.',
    D.sandbox.driver,
  ),
  image: setting(text, 'Container image of the docker driver.', D.sandbox.image),
  network: setting(z.enum(['on', 'off']), 'Whether commands can reach the network.', D.sandbox.network),
  memoryMb: setting(count, 'Memory of all processes together.', D.sandbox.memoryMb),
  pids: setting(count, 'Maximum number of processes.', D.sandbox.pids),
  cpus: setting(z.number().positive(), 'Number of CPUs; can be a fraction.', D.sandbox.cpus),
  env: setting(
    z.array(z.string().regex(/^[A-Za-z_]\w*$/, { error: 'must be the name of a variable, without $' })),
    'Names of environment variables that are passed to commands.',
    D.sandbox.env,
  ),
});

export const limits = z.strictObject({
  steps: setting(limit, 'Model calls. null: no limit.', null),
  tokens: setting(limit, 'Tokens of input and output. null: no limit.', null),
  costUsd: setting(limit, 'US dollars. null: no limit.', null),
  minutes: setting(limit, 'Minutes, not counting the time in which a person is asked. null: no limit.', null),
  repeatedCalls: setting(
    z.int().min(2).nullable(),
    'Identical calls with identical results in a row: at this number the model is warned, and if it continues, the run stops. null: never.',
    D.limits.repeatedCalls,
  ),
});

export const retry = z.strictObject({
  attempts: setting(count, 'Attempts of one model call.', D.retry.attempts),
  overloadAttempts: setting(
    count,
    'Attempts while the provider is overloaded or asks to slow down (429, 503, 529), counted separately.',
    D.retry.overloadAttempts,
  ),
  totalMs: setting(
    count,
    'Milliseconds for all failed attempts of one model call and the waits between them.',
    D.retry.totalMs,
  ),
  stallMs: setting(
    z.int().min(0),
    'Milliseconds without data after which an attempt fails. 0: never.',
    D.retry.stallMs,
  ),
});

export const approval = z.strictObject({
  tool: text.meta({ description: 'Name of a tool; * matches any text.' }),
  command: text.optional().meta({
    description:
      'A simple command of a shell line; * matches any text. A line is allowed only if all its commands are.',
  }),
  path: text.optional().meta({
    description:
      'A glob for the path that a call names, relative to the workspace. Without a slash, it matches the last name of the path.',
  }),
  action: z.enum(['allow', 'ask', 'deny']).meta({
    description: 'ask: a person decides; if nobody can answer, it counts as deny.',
  }),
});
