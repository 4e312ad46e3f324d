import { z } from 'zod';
import { ADDRESSES } from '../addresses.ts';
import type { ApiRoute } from '../route.ts';
import { healthSchema, readySchema } from '../service.ts';
import { settingsBody, settingsSchema } from '../settings.ts';

export const serviceRoutes = {
  getSettings: {
    ...ADDRESSES.getSettings,
    tag: 'service',
    summary: 'Get the compaction settings',
    status: 200,
    response: settingsSchema,
  },
  putSettings: {
    ...ADDRESSES.putSettings,
    tag: 'service',
    summary: 'Change the compaction settings, from the next step on',
    body: settingsBody,
    status: 200,
    response: settingsSchema,
    errors: ['config_invalid', 'unknown_model'],
  },
  healthz: {
    ...ADDRESSES.healthz,
    tag: 'service',
    summary: 'Check that the process is alive',
    status: 200,
    response: healthSchema,
    isPublic: true,
  },
  readyz: {
    ...ADDRESSES.readyz,
    tag: 'service',
    summary: 'Check that the server accepts runs; 503 if it does not',
    status: 200,
    response: readySchema,
    isPublic: true,
  },
  metrics: {
    ...ADDRESSES.metrics,
    tag: 'service',
    summary: 'Get metrics for Prometheus',
    status: 200,
    produces: 'text/plain',
    response: z.string(),
  },
  openapi: {
    ...ADDRESSES.openapi,
    tag: 'service',
    summary: 'Get this OpenAPI document',
    status: 200,
    response: z.looseObject({ openapi: z.string() }),
  },
} as const satisfies Record<string, ApiRoute>;
