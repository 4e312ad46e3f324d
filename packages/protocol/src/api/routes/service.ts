import { z } from 'zod';
import type { ApiRoute } from '../route.ts';
import { healthSchema, readySchema } from '../service.ts';
import { modelsSchema, settingsBody, settingsSchema } from '../settings.ts';

export const serviceRoutes = {
  listModels: {
    method: 'GET',
    path: '/api/models',
    tag: 'service',
    summary: 'Models that a session can name here',
    status: 200,
    response: modelsSchema,
  },
  getSettings: {
    method: 'GET',
    path: '/api/settings',
    tag: 'service',
    summary: 'How contexts are compacted',
    status: 200,
    response: settingsSchema,
  },
  putSettings: {
    method: 'PUT',
    path: '/api/settings',
    tag: 'service',
    summary: 'Change it, from the next run on',
    body: settingsBody,
    status: 200,
    response: settingsSchema,
    errors: ['config_invalid', 'unknown_model'],
  },
  healthz: {
    method: 'GET',
    path: '/healthz',
    tag: 'service',
    summary: 'The process lives',
    status: 200,
    response: healthSchema,
    isPublic: true,
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    tag: 'service',
    summary: 'It takes runs; 503 when it does not',
    status: 200,
    response: readySchema,
    isPublic: true,
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    tag: 'service',
    summary: 'Figures for Prometheus',
    status: 200,
    produces: 'text/plain',
    response: z.string(),
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'service',
    summary: 'This description',
    status: 200,
    response: z.looseObject({ openapi: z.string() }),
  },
} as const satisfies Record<string, ApiRoute>;
