import { z } from 'zod';
import { ADDRESSES } from '../addresses.ts';
import { sessionParams } from '../common.ts';
import {
  conversationTreeSchema,
  diffQuery,
  diffSchema,
  fileEntriesSchema,
  listFilesQuery,
  readFileQuery,
  revertBody,
  revertResultSchema,
  unrevertBody,
} from '../files.ts';
import type { ApiRoute } from '../route.ts';

export const fileRoutes = {
  getDiff: {
    ...ADDRESSES.getDiff,
    tag: 'files',
    summary: 'Show what the session, a turn or a step changed in the workspace',
    params: sessionParams,
    query: diffQuery,
    status: 200,
    response: diffSchema,
    errors: ['session_not_found', 'not_found'],
  },
  listFiles: {
    ...ADDRESSES.listFiles,
    tag: 'files',
    summary: 'List a folder of the workspace as it was recorded after a message',
    params: sessionParams,
    query: listFilesQuery,
    status: 200,
    response: fileEntriesSchema,
    errors: ['session_not_found', 'not_found', 'invalid_request'],
  },
  readFile: {
    ...ADDRESSES.readFile,
    tag: 'files',
    summary: 'Get a file of the workspace as it was recorded after a message, of at most 8 MiB',
    params: sessionParams,
    query: readFileQuery,
    status: 200,
    produces: 'application/octet-stream',
    response: z.file(),
    errors: ['session_not_found', 'not_found', 'invalid_request'],
  },
  revert: {
    ...ADDRESSES.revert,
    tag: 'files',
    summary: 'Restore files and conversation as they were before a message. A run is cancelled',
    params: sessionParams,
    body: revertBody,
    status: 200,
    response: revertResultSchema,
    errors: ['session_not_found', 'session_busy', 'not_found', 'invalid_request'],
  },
  unrevert: {
    ...ADDRESSES.unrevert,
    tag: 'files',
    summary: 'Take the newest revert back',
    params: sessionParams,
    body: unrevertBody,
    status: 200,
    response: revertResultSchema,
    errors: ['session_not_found', 'session_busy', 'not_found', 'invalid_request'],
  },
  getTree: {
    ...ADDRESSES.getTree,
    tag: 'files',
    summary: 'List the branches of the conversation',
    params: sessionParams,
    status: 200,
    response: conversationTreeSchema,
    errors: ['session_not_found'],
  },
} as const satisfies Record<string, ApiRoute>;
