import { z } from 'zod';
import { ERROR_TRAITS, type ErrorCode } from '../error-traits.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { STRATEGY_NAMES } from '../strategy-names.ts';

/** Schemas that several routes share. */

const codes = Object.keys(ERROR_TRAITS).filter((code): code is ErrorCode =>
  Object.hasOwn(ERROR_TRAITS, code),
);

export const jsonValueSchema: z.ZodType<JsonValue> = z
  .lazy(() =>
    z.union([
      z.string(),
      z.number(),
      z.boolean(),
      z.null(),
      z.array(jsonValueSchema),
      z.record(z.string(), jsonValueSchema),
    ]),
  )
  .meta({ id: 'JsonValue' });

export const jsonObjectSchema = z.record(z.string(), jsonValueSchema) satisfies z.ZodType<JsonObject>;

export const errorShapeSchema = z.looseObject({
  code: z.enum(codes),
  message: z.string(),
  retryable: z.boolean().meta({ description: 'The same request may succeed later.' }),
  data: jsonObjectSchema.optional(),
});

/** The body of every response whose status is not 2xx. */
export const errorBodySchema = z.looseObject({ error: errorShapeSchema }).meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** Text from a client, with a maximum length and without NUL characters. */
export const nameText = (maxChars: number) =>
  z
    .string()
    .max(maxChars)
    .regex(/^[^\0]*$/, { error: 'must not contain a NUL character' });

export const sessionIdSchema = nameText(200).min(1).meta({ description: 'Session id.' });

export const sessionParams = z.strictObject({ sessionId: sessionIdSchema });

export const queuedMessageParams = z.strictObject({
  sessionId: sessionIdSchema,
  messageId: nameText(200).min(1),
});

/** An integer in a query string. */
export const queryCount = ({ min = 1, max }: { min?: number; max: number }) =>
  z.coerce.number().int().min(min).max(max);

export const modelNameSchema = nameText(300)
  .regex(/^[^/\s]+\/\S+$/, { error: 'must be provider/model, such as anthropic/claude-sonnet-4-5' })
  .meta({ description: 'provider/model' });

/** The built-in strategies. Only configuration files can name a module: a client must not make the server load code. */
export const strategyNameSchema = z.enum(STRATEGY_NAMES);

export const emptyBody = z.strictObject({});
export const okBody = z.looseObject({ ok: z.literal(true) });

/** The place of a session that waits for other runs of the server to end. */
export const waitingSchema = z
  .looseObject({ position: z.int().min(1).meta({ description: '1 begins next.' }) })
  .optional()
  .meta({
    description:
      'The session has work, and waits because the server has `server.maxRuns` runs. Absent: it does not wait.',
  });
