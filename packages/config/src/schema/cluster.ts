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
    'The name of this machine. A session runs only on servers that have the machine name of the server that created it, because its workspace is there. Give machines that share their folders the same name. null: the host name.',
    D.cluster.machine,
  ),
  address: setting(
    z
      .string()
      .regex(/^https?:\/\/[^\s/]+$/, {
        error: 'must be an address without a path, such as http://10.0.0.5:4140',
      })
      .nullable(),
    'Where the other servers reach this one, such as http://10.0.0.5:4140. null: the address on which it listens (server.host), unless that stands for all addresses.',
    D.cluster.address,
  ),
  secret: setting(
    z.string().min(16, { error: 'must have at least 16 characters' }).nullable(),
    'The secret with which the servers authenticate to each other, to send each other the texts of answers. All servers need the same one. null: they read these texts from the database, with a delay.',
    D.cluster.secret,
  ),
});
