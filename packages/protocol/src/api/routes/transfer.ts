import { z } from 'zod';
import { ADDRESSES } from '../addresses.ts';
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
import { RECORDED_FILE } from './shared.ts';

export const transferRoutes = {
  exportSession: {
    ...ADDRESSES.exportSession,
    tag: 'transfer',
    summary: 'Export a whole session',
    params: sessionParams,
    query: exportQuery,
    status: 200,
    response: exportSchema,
    errors: ['session_not_found'],
  },
  importSession: {
    ...ADDRESSES.importSession,
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
    ...ADDRESSES.getBlob,
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
