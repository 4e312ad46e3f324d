import { z } from 'zod';
import { nameText } from './common.ts';

const workspace = nameText(4_096).min(1).optional().meta({
  description: 'Folder on the server, as for createSession. Default: the first allowed one.',
});

export const trustQuery = z.strictObject({ workspace });

export const answerTrustBody = z.strictObject({
  workspace,
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'must be the hash of getTrust, 64 hexadecimal digits' })
    .meta({
      description: 'hash of getTrust. If the files want something else by now, the answer is refused.',
    }),
  trusted: z.boolean().meta({ description: 'true: trust what was shown. false: withdraw all trust.' }),
});
export type AnswerTrustBody = z.infer<typeof answerTrustBody>;

export const trustWantSchema = z.looseObject({
  key: z.string().meta({ description: 'The key of longhaul.yml.' }),
  danger: z.enum(['code', 'data', 'access']).meta({
    description: 'code: runs code. data: sends data, or chooses who receives it. access: widens access.',
  }),
  text: z.string().meta({
    description:
      'The value, from the project, with a line for each key or rule: show it as plain text, with its line breaks. Keys are masked.',
  }),
  files: z.array(z.string()).meta({ description: 'Files of the project that it uses.' }),
  isTrusted: z.boolean(),
  refusal: z.string().optional().meta({ description: 'Why it is refused even if it is trusted.' }),
});

export const trustSchema = z.looseObject({
  workspace: z
    .string()
    .meta({ description: 'The folder that trust is bound to. It can be above the named one.' }),
  file: z.string().optional().meta({ description: 'The longhaul.yml. Absent: there is none.' }),
  hash: z.string(),
  isTrusted: z.boolean().meta({ description: 'Whether nothing that the files want is ignored.' }),
  wants: z.array(trustWantSchema),
  needsRestart: z.array(z.string()).meta({
    description:
      'Keys whose trust has changed since this server started, and that it reads only when it starts: server, storage, telemetry, and changed modules of strategies.',
  }),
});
export type WorkspaceTrust = z.infer<typeof trustSchema>;
