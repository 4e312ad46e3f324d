import { ERROR_TRAITS, type ErrorCode } from '@longhaul/protocol';
import { API_ROUTES, type ApiRoute, errorBodySchema } from '@longhaul/protocol/api';
import { z } from 'zod';

type Json = Record<string, unknown>;

/** Errors that every operation can return. */
const COMMON_ERRORS: readonly ErrorCode[] = ['invalid_request', 'forbidden', 'rate_limited'];

/** Returns the OpenAPI document, generated from the same table as the routes. */
export function openApiDocument({ version }: { version: string }): Json {
  const components: Json = {};
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output') => jsonSchema(schema, { io, components });
  schemaOf(errorBodySchema, 'output');
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<ApiRoute>(API_ROUTES)) {
    paths[route.path] ??= {};
    Object.assign(paths[route.path] ?? {}, {
      [route.method.toLowerCase()]: operation(name, route, schemaOf),
    });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Longhaul',
      version,
      description: 'Sessions of a coding agent over HTTP and server-sent events.',
    },
    security: [{ token: [] }],
    paths,
    components: {
      schemas: components,
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => Json;

function operation(operationId: string, route: ApiRoute, schemaOf: SchemaOf): Json {
  const {
    tag,
    summary,
    description,
    isPublic,
    status,
    laterStatus,
    response,
    produces = 'application/json',
  } = route;
  const content = response && { content: { [produces]: { schema: schemaOf(response, 'output') } } };
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(isPublic && { security: [] }),
    parameters: [
      ...parameters('path', route.params, schemaOf),
      ...parameters('query', route.query, schemaOf),
      ...parameters('header', route.headers, schemaOf),
    ],
    ...requestBody(route, schemaOf),
    responses: {
      [status]: { description: 'Success.', ...content },
      ...(laterStatus && { [laterStatus]: { description: 'Accepted, and done later.', ...content } }),
      ...errorResponses(route),
    },
  };
}

function parameters(place: string, schema: z.ZodType | undefined, schemaOf: SchemaOf): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...type }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description,
    schema: type,
  }));
}

function requestBody({ body, consumes }: ApiRoute, schemaOf: SchemaOf): Json {
  if (consumes !== undefined) {
    const bytes = { schema: { type: 'string', format: 'binary' } };
    return {
      requestBody: { required: true, content: Object.fromEntries(consumes.map((type) => [type, bytes])) },
    };
  }
  if (body === undefined) return {};
  const required = !body.safeParse({}).success;
  return { requestBody: { required, content: { 'application/json': { schema: schemaOf(body, 'input') } } } };
}

function errorResponses({ errors = [], isPublic, body, consumes }: ApiRoute): Json {
  const codes = [
    ...COMMON_ERRORS,
    ...(isPublic ? [] : (['unauthorized'] as const)),
    ...(body || consumes ? (['request_too_large', 'media_type_unsupported'] as const) : []),
    ...errors,
  ];
  const byStatus = Map.groupBy(codes, (code) => ERROR_TRAITS[code].status);
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [status, { description: [...new Set(of)].join(', '), content }]),
  );
}

/** Converts a schema to JSON Schema and moves its named parts to the components of the document. */
function jsonSchema(
  schema: z.ZodType,
  { io, components }: { io: 'input' | 'output'; components: Json },
): Json {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $defs = {}, ...whole }: Json & { $defs?: Json } = JSON.parse(text);
  Object.assign(components, $defs);
  const { id } = z.globalRegistry.get(schema) ?? {};
  if (id !== undefined) components[id] = whole;
  return whole;
}
