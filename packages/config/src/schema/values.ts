import { isObject, type JsonValue } from '@longhaul/protocol';
import * as z from 'zod';
import { isEmbeddedName } from '../embedded.ts';

/** An optional key, with its description and default for editors and the table of keys. */
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
/** A model that writes summaries. */
export const summaryModel = z
  .string()
  .refine((name) => /^(?:__same__|none)$/.test(name) || modelName.safeParse(name).success, {
    error: 'must be __same__, none, or provider/model',
  });
export const url = z
  .string()
  .refine(isHttpUrl, { error: 'must be an http:// or https:// URL' })
  .refine((value) => value.startsWith('$') || hasPlainHost(value), {
    error: 'must not contain #, \\, spaces, or an @ after the host',
  });
/** The address of an upstream, or a model that runs inside Longhaul. */
export const upstreamUrl = z
  .string()
  .refine((value) => isEmbeddedName(value) || isHttpUrl(value), {
    error: 'must be an http:// or https:// URL, or embedded:NAME',
  })
  .refine((value) => value.startsWith('$') || isEmbeddedName(value) || hasPlainHost(value), {
    error: 'must not contain #, \\, spaces, or an @ after the host',
  });
/** The name of an environment variable, for a secret that must not be in a file. */
export const variableName = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, { error: 'must be the name of an environment variable, without $' });
/** `fetch` refuses an address with a user name or password. */
export const urlWithoutPassword = url.refine((value) => value.startsWith('$') || isWithoutPassword(value), {
  error: 'must not contain a user name or password: a key belongs in apiKey',
});
/** Header field names, RFC 9110, without those that belong to the connection or the body. */
export const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~\w-]+$/, { error: 'must be the name of a header, such as x-team' })
  .refine((value) => !CONNECTION_HEADERS.has(value.toLowerCase()), {
    error: 'is set for each request and cannot be configured',
  });
export const headerValue = z.string().regex(/^[\t\u0020-\u007e\u0080-\u00ff]*$/, {
  error: 'must be one line of text, without line breaks and with characters of Latin-1 only',
});
/** Fields of a request that settings may add. Without its own fields, a request would be another conversation. */
const bodyField = text.refine((value) => !OWN_FIELDS.has(value), {
  error: 'is written by Longhaul for each request and cannot be configured',
});
/** Fields that settings add to each request. */
export const body = z.record(bodyField, z.json()).superRefine((fields, context) => {
  const { generationConfig } = fields;
  const google = isObject(generationConfig) ? generationConfig : {};
  const numbers = [
    ...ANSWER_COUNTS.map((key) => ({ path: [key], value: fields[key] })),
    ...ANSWER_COUNTS.map((key) => ({ path: ['generationConfig', key], value: google[key] })),
  ];
  for (const { path, value } of numbers) {
    if (value === undefined || value === null || value === 1) continue;
    const message = 'must be 1 (one answer of each request is read)';
    context.addIssue({ code: 'custom', path, message });
  }
});
/** Name of a provider, an agent or an upstream. */
export const name = z.string().regex(/^[A-Za-z0-9][\w.-]*$/, {
  error: 'must be a name of letters, digits, hyphens, underscores and dots',
});

/** How many answers a request asks for, in the forms of all providers. */
const ANSWER_COUNTS = ['n', 'best_of', 'num_return_sequences', 'candidateCount', 'candidate_count'];

/** In the forms of all providers. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'messages',
  'input',
  'contents',
  'prompt',
  'system',
  'instructions',
  'systemInstruction',
  'tools',
  'stream',
]);

const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function isWithoutPassword(value: string): boolean {
  const parsed = URL.parse(value);
  return parsed === null || (parsed.username === '' && parsed.password === '');
}

/** Otherwise a person could take another part of the address for its host. */
function hasPlainHost(value: string): boolean {
  const parsed = URL.parse(value);
  return (
    parsed === null || (!/[#\\\s\p{Cc}]/u.test(value) && !`${parsed.pathname}${parsed.search}`.includes('@'))
  );
}

/** `$NAME` of a variable that is not set is accepted until the provider is used. */
function isHttpUrl(value: string): boolean {
  return value.startsWith('$') || (/^https?:/i.test(value) && URL.canParse(value));
}
