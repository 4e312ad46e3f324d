import { z } from 'zod';
import { sessionParams } from '../common.ts';
import type { ApiRoute } from '../route.ts';
import {
  blobParams,
  blobQuery,
  exportQuery,
  exportSchema,
  importQuery,
  importResultSchema,
} from '../service.ts';
import { RECORDED_FILE, SESSION } from './shared.ts';

export const transferRoutes = {
  exportSession: {
    method: 'GET',
    path: `${SESSION}/export`,
    tag: 'transfer',
    summary: 'Export a whole session',
    params: sessionParams,
    query: exportQuery,
    status: 200,
    response: exportSchema,
    errors: ['session_not_found'],
  },
  importSession: {
    method: 'POST',
    path: '/api/import',
    tag: 'transfer',
    summary: 'Create a session from a recorded file in any format that longhaul import reads',
    query: importQuery,
    consumes: RECORDED_FILE,
    bodyLimit: 'upload',
    status: 201,
    response: importResultSchema,
    errors: ['invalid_request', 'workspace_not_allowed'],
  },
  getBlob: {
    method: 'GET',
    path: '/blobs/{blobId}',
    tag: 'transfer',
    summary: 'Get the bytes of an image or a file, or the whole text of a truncated output',
    params: blobParams,
    query: blobQuery,
    status: 200,
    produces: 'application/octet-stream',
    response: z.file(),
    errors: ['blob_not_found'],
  },
} as const satisfies Record<string, ApiRoute>;
