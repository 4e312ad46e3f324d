import * as z from 'zod';
import { isPlainObject } from './config-layer.ts';
import { configSchema } from './schema.ts';

type JsonSchema = Record<string, unknown>;

let made: JsonSchema | undefined;

/**
 * Returns the schema of `longhaul.yml` for editors, as in docs/longhaul.schema.json. Made once: a file can have many
 * keys.
 */
export function toEditorSchema(): JsonSchema {
  made ??= makeEditorSchema();
  return made;
}

function makeEditorSchema(): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: 'input' });
  return { $schema, title: 'longhaul.yml', ...withVariables(schema) };
}

const VARIABLE = { type: 'string', pattern: '^\\$[A-Za-z_]\\w*$' };

/** Adds `$NAME` to the allowed values of each key that does not accept arbitrary text anyway. */
function withVariables(schema: JsonSchema): JsonSchema {
  const whole = withChildren(schema);
  const isOpen = whole['type'] === 'string' && whole['enum'] === undefined && whole['pattern'] === undefined;
  const isLeaf = ['string', 'number', 'integer', 'boolean'].includes(String(whole['type']));
  if (!isLeaf || isOpen) return whole;
  const { description, default: fallback, ...rest } = whole;
  return {
    description,
    default: fallback,
    anyOf: [rest, VARIABLE],
  };
}

function withChildren(schema: JsonSchema): JsonSchema {
  const { properties, additionalProperties, items, anyOf } = schema;
  return {
    ...schema,
    ...(isPlainObject(properties) ? { properties: mapSchemas(properties) } : {}),
    ...(isPlainObject(additionalProperties)
      ? { additionalProperties: withVariables(additionalProperties) }
      : {}),
    ...(isPlainObject(items) ? { items: withVariables(items) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.filter(isPlainObject).map(withVariables) } : {}),
  };
}

function mapSchemas(schemas: Record<string, unknown>): Record<string, unknown> {
  const changed = Object.entries(schemas).map(([key, value]) => [
    key,
    isPlainObject(value) ? withVariables(value) : value,
  ]);
  return Object.fromEntries(changed);
}
