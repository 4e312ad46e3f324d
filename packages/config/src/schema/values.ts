import type { JsonValue } from '@longhaul/protocol';
import * as z from 'zod';

/** A key that may be absent, with what editors and the table of keys say of it. */
export const setting = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  fallback?: JsonValue,
) => schema.meta({ description, default: fallback }).optional();

export const count = z.int().min(1);
export const port = z.int().min(0).max(65_535);
export const limit = z.number().positive().nullable();
export const text = z.string().min(1);
export const modelName = z
  .string()
  .regex(/^[^/\s]+\/\S+$/, { error: 'must be provider/model, such as anthropic/claude-sonnet-4-5' });
export const url = z.string().refine(isHttpUrl, { error: 'must be an http:// or https:// URL' });
/** Requests cannot be made to an address that holds them. */
export const urlWithoutPassword = url.refine((value) => value.startsWith('$') || isWithoutPassword(value), {
  error: 'must hold no user name or password: a key goes into apiKey',
});
/** Of a provider, an agent, an upstream. */
export const name = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]*$/, { error: 'must be a name of letters, digits, - and .' });

function isWithoutPassword(value: string): boolean {
  const parsed = URL.parse(value);
  return parsed === null || (parsed.username === '' && parsed.password === '');
}

/** `$NAME` of a variable that is not set stays until the provider is used. */
function isHttpUrl(value: string): boolean {
  return value.startsWith('$') || (/^https?:/i.test(value) && URL.canParse(value));
}
