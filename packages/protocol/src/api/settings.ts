import { z } from 'zod';
import { modelNameSchema, nameText, strategyNameSchema } from './common.ts';

const trigger = z.union(
  [z.enum(['overflow', 'manual']), z.strictObject({ threshold: z.number().gt(0).max(1) })],
  'must be overflow, manual, or { threshold: 0.8 }',
);

const summariser = z
  .union([z.enum(['__same__', 'none']), modelNameSchema], 'must be __same__, none, or provider/model')
  .meta({
    description:
      'Model that writes summaries. __same__: the model of the session. none: summaries without a narrative.',
  });

const options = {
  preserveLastNTurns: z.int().min(0).max(1e6),
  recentMessagesToKeep: z.int().min(1).max(1e6),
  pruneProtectTokens: z.int().min(0).max(1e9).nullable(),
  pruneMinimumTokens: z.int().min(0).max(1e9).nullable(),
  ledgerShare: z.number().min(0).max(1),
};

const pruningAgentId = nameText(300).min(1).meta({
  description:
    'The model that writes the narratives of summaries. __same__: the model of the session. none: summaries have no narrative. The name of an agent: the model of that agent. provider/model: this model. It is used in place of compression.model.',
});

/**
 * Settings that a client can change. They override the project's configuration file; flags override them. `null` resets
 * a setting.
 */
export const settingsBody = z.strictObject({
  pruningAgentId: pruningAgentId.nullable().optional(),
  compression: z
    .strictObject({
      strategy: strategyNameSchema.nullable().optional(),
      trigger: trigger.nullable().optional(),
      auto: z.boolean().nullable().optional(),
      model: summariser.nullable().optional(),
      options: z.strictObject(options).partial().nullable().optional(),
    })
    .optional(),
});
export type SettingsBody = z.infer<typeof settingsBody>;

/** The settings in effect. `changed` has those that were set over the API. */
export const settingsSchema = z.looseObject({
  pruningAgentId: z.string().optional().meta({
    description:
      'The value that was set, otherwise compression.model. Servers of older versions do not send it.',
  }),
  pruningAgent: z
    .looseObject({
      model: z.string().meta({ description: 'The model that pruningAgentId names, or __same__ or none.' }),
      notice: z.string().optional().meta({
        description: 'Present if the agent no longer exists. __same__ is used until it exists again.',
      }),
    })
    .optional(),
  compression: z.looseObject({
    strategy: z.string(),
    trigger: trigger.nullable().meta({ description: "null: the strategy's default trigger." }),
    auto: z.boolean(),
    model: summariser,
    options: z.looseObject(options),
  }),
  changed: settingsBody,
});
export type Settings = z.infer<typeof settingsSchema>;

export const modelsQuery = z.strictObject({
  all: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'Also the models of the built-in catalogue.' }),
  search: nameText(200)
    .optional()
    .meta({ description: 'Words, each of which occurs in the name of the model.' }),
});
export type ModelsQuery = z.output<typeof modelsQuery>;

export const modelsSchema = z.looseObject({
  default: z.string().optional(),
  models: z.array(
    z.looseObject({
      name: z.string().meta({ description: 'provider/model. A session accepts this name.' }),
      provider: z.string(),
      windowTokens: z.number().optional(),
      maxOutputTokens: z.number().optional(),
      source: z.enum(['configuration', 'catalogue', 'server']),
      windowFrom: z
        .enum(['configuration', 'catalogue', 'server'])
        .optional()
        .meta({ description: 'Where windowTokens comes from. Absent: the window is not known.' }),
      problem: z
        .string()
        .optional()
        .meta({ description: 'Why the model cannot be used, such as a missing key.' }),
    }),
  ),
});
export type Models = z.infer<typeof modelsSchema>;
