import { z } from 'zod';
import { jsonObjectSchema, nameText } from './common.ts';

export const replayQuery = z.strictObject({
  name: nameText(255).min(1).optional().meta({ description: 'Name of the file, as the report shows it.' }),
  windows: z
    .string()
    .regex(/^\d{4,9}(?:,\d{4,9}){0,3}$/, { error: 'must be 1 to 4 numbers of tokens, such as 16000,32000' })
    .default('32000')
    .meta({ description: 'Windows in tokens, separated by commas.' }),
  strategies: nameText(500)
    .min(1)
    .default('all')
    .meta({ description: 'Names of built-in strategies and baselines, separated by commas, or all.' }),
  format: z
    .enum(['json', 'html'])
    .default('json')
    .meta({ description: 'html: the report as a page that loads nothing, as a download.' }),
});
export type ReplayQuery = z.output<typeof replayQuery>;

const share = z.number().nullable();

export const replayReportSchema = z.looseObject({
  name: z.string(),
  windows: z.array(z.int()),
  strategies: z.array(z.string()),
  problem: z.string().optional().meta({ description: 'Why the file could not be replayed.' }),
  notes: z.array(z.string()).meta({ description: 'Content of the file that was not read.' }),
  session: jsonObjectSchema.optional().meta({ description: 'Sizes of the recorded session.' }),
  results: z.array(
    z.looseObject({
      windowTokens: z.int(),
      strategy: z.string(),
      isSkipped: z.boolean().meta({ description: 'The session fits the window, so nothing was measured.' }),
      recall: share,
      farRecall: share,
      groundedRecall: share,
      overflows: z.number(),
      sentTokens: z.number(),
      costTokens: z.number(),
      compactions: z.number(),
    }),
  ),
});
export type ReplayReport = z.infer<typeof replayReportSchema>;
