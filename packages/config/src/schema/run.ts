import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { count, limit, setting, text } from './values.ts';

// What a run works with, and where it stops.

export const tools = z.strictObject({
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

export const sandbox = z.strictObject({
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

export const limits = z.strictObject({
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

export const retry = z.strictObject({
  attempts: setting(count, 'For one model call.', D.retry.attempts),
  overloadAttempts: setting(
    count,
    'The same while the provider is overloaded or asks to slow down (429, 503, 529), counted apart.',
    D.retry.overloadAttempts,
  ),
  totalMs: setting(count, 'For all attempts of one model call.', D.retry.totalMs),
  stallMs: setting(z.int().min(0), 'Silence in a stream that counts as failed. 0: never.', D.retry.stallMs),
});

export const approval = z.strictObject({
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
