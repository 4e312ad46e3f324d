import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { setting } from './values.ts';

export const cluster = z.strictObject({
  machine: setting(
    z
      .string()
      .regex(/^[\w.-]{1,100}$/, {
        error: 'must contain only letters, digits, points, hyphens and underscores',
      })
      .nullable(),
    'The name of this machine. Sessions run where their workspace is: on the servers with the name of the one that created them. Give machines that share their folders the same name. null: the host name.',
    D.cluster.machine,
  ),
});
