import { z } from 'zod';
import { BUDGET_SCOPES, type BudgetState, USAGE_KEYS, type UsageKey } from '../budget.ts';
import { tokenUsageSchema } from '../schemas.ts';
import { nameText, queryCount, sessionIdSchema } from './common.ts';

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
export const usageDay = z
  .string()
  .regex(DAY, { error: 'must be a day in UTC, such as 2026-11-30' })
  .meta({ example: '2026-11-30' });

const isKey = (text: string): text is UsageKey => USAGE_KEYS.some((key) => key === text);

/** `day,model` */
export const usageKeys = z
  .string()
  .transform((text) => [...new Set(text.split(',').map((word) => word.trim()))].filter((word) => word !== ''))
  .refine((words): words is UsageKey[] => words.every(isKey), {
    error: `must be a list of ${USAGE_KEYS.join(', ')}, separated by commas`,
  });

export const usageQuery = z.strictObject({
  by: usageKeys.default(['day']).meta({
    description:
      'What rows are added up by: day, token, model, session, separated by commas. Empty: one row.',
  }),
  from: usageDay.optional().meta({ description: 'First day.' }),
  to: usageDay.optional().meta({ description: 'Last day.' }),
  token: nameText(100).min(1).optional().meta({
    description:
      'Only the sessions of the token of this name. Tokens without the scope admin get only their own.',
  }),
  sessionId: sessionIdSchema.optional().meta({
    description: 'Only this session with its children. Of a child, the whole family.',
  }),
  limit: queryCount({ min: 1, max: 1_000 }).default(100),
});

const amount = z.number();
const usageSums = {
  calls: z.int().min(0),
  usage: tokenUsageSchema,
  costUsd: amount,
  unpricedTokens: amount.meta({ description: 'Tokens of calls whose price is unknown. They have no cost.' }),
};
const budgetSchema = z.looseObject({
  tokens: amount.nullable(),
  costUsd: amount.nullable(),
});
const spentSchema = z.looseObject({ tokens: amount, costUsd: amount });

const budgetStateSchema = z.looseObject({
  budget: z.enum(BUDGET_SCOPES),
  spent: spentSchema,
  limit: budgetSchema.meta({ description: 'null: no limit.' }),
  renewsAt: amount.optional().meta({ description: 'Milliseconds since 1970. Absent: it does not renew.' }),
}) satisfies z.ZodType<BudgetState>;

export const usageSchema = z.looseObject({
  today: usageDay,
  rows: z.array(
    z.looseObject({
      day: z.string().optional(),
      token: z.string().optional(),
      model: z.string().optional(),
      session: z.string().optional().meta({ description: 'Empty for calls outside of sessions.' }),
      ...usageSums,
    }),
  ),
  hasMore: z.boolean().meta({ description: 'Whether limit has left out rows.' }),
  total: z.looseObject(usageSums).meta({ description: 'The sum, also of rows that are left out.' }),
  budgets: z.array(budgetStateSchema).meta({
    description:
      'The budgets of the session, or of the token, with what is spent of them now. That of everybody is only for admins.',
  }),
});
export type UsageReport = z.infer<typeof usageSchema>;
