import { z } from 'zod';
import { nameText } from './common.ts';

export const pageSessionBody = z.strictObject({
  code: nameText(200).min(1).optional().meta({
    description:
      'The one-time code of the address that longhaul serve --open opens. Default: the token of the server in the header Authorization.',
  }),
});

export const pageSessionSchema = z.looseObject({
  token: z
    .string()
    .optional()
    .meta({ description: 'A token for all operations. Absent: this server needs none.' }),
  expiresAt: z.number().optional().meta({ description: 'When the token ends, in milliseconds since 1970.' }),
});
