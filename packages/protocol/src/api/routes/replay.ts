import { ADDRESSES } from '../addresses.ts';
import { replayQuery, replayReportSchema } from '../replay.ts';
import type { ApiRoute } from '../route.ts';
import { RECORDED_FILE } from './shared.ts';

export const replayRoutes = {
  replay: {
    ...ADDRESSES.replay,
    tag: 'replay',
    summary: 'Measure compaction strategies on a recorded session in any format that longhaul import reads',
    description:
      'One replay runs at a time, for at most 10 minutes. It ends when the client disconnects. No model is called, and nothing is stored.',
    query: replayQuery,
    consumes: RECORDED_FILE,
    bodyLimit: 'upload',
    status: 200,
    response: replayReportSchema,
    errors: ['invalid_request', 'rate_limited'],
  },
} as const satisfies Record<string, ApiRoute>;
