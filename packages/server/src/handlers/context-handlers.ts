import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'getContext' | 'compact' | 'undo' | 'pin' | 'unpin';

export function contextHandlers({ runtime }: HandlerContext): Pick<RouteHandlers, Names> {
  return {
    getContext: ({ params, query: { windowTokens } }) =>
      runtime.contextOf(params.sessionId, { windowTokens }),

    compact: ({ params, body: { preview, strategy, windowTokens, focus }, signal }) =>
      runtime.compact(params.sessionId, {
        preview,
        signal,
        strategy,
        windowTokens,
        focus,
      }),

    undo: ({ params }) => runtime.undoCompaction(params.sessionId),
    pin: ({ params, body }) => runtime.pin(params.sessionId, body.target),
    unpin: ({ params, body }) => runtime.unpin(params.sessionId, body.target),
  };
}
