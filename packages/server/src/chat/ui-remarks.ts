import {
  describeSwitch,
  type EventOf,
  type FinishReason,
  type LonghaulEvent,
  type ToolOutputContent,
} from '@longhaul/protocol';
import type { UiChunk, UiFinishReason } from './ui-chunk.ts';

/** Converts events that are not part of the answer to data parts. Transient ones are not stored in the message. */
export function remark(event: LonghaulEvent): UiChunk[] {
  switch (event.type) {
    case 'context:compressed': {
      const {
        originalTokens,
        compressedTokens,
        originalMessages,
        compressedMessages,
        strategy,
        reason,
        round,
      } = event;
      const sizes = { originalTokens, compressedTokens, originalMessages, compressedMessages };
      return [{ type: 'data-compaction', id: `round:${round}`, data: { ...sizes, strategy, reason, round } }];
    }
    case 'context:warning':
    case 'budget:warning':
      return [notice(event.message)];
    case 'llm:switched':
      return [notice(describeSwitch(event))];
    case 'llm:unsupported-input':
      return event.errors.map(notice);
    case 'run:repaired':
      return [notice(event.message)];
    case 'trust:requested':
      return [notice(ignoredText(event))];
    case 'message:queued':
      return [{ type: 'data-queue', id: event.id, data: { id: event.id, position: event.position } }];
    case 'message:dequeued':
      return event.ids.map((id) => ({ type: 'data-queue', id, data: { id, delivered: true } }));
    case 'llm:retry':
      return [
        {
          type: 'data-status',
          data: { status: 'retrying', attempt: event.attempt, delayMs: event.delayMs, reason: event.reason },
          transient: true,
        },
      ];
    case 'session:status':
      return [{ type: 'data-status', data: { status: event.status }, transient: true }];
    case 'context:usage': {
      const { tokens, usableTokens, windowTokens } = event;
      return [{ type: 'data-context', data: { tokens, usableTokens, windowTokens }, transient: true }];
    }
    case 'llm:tool-progress': {
      const { callId, title = '' } = event;
      return [{ type: 'data-progress', data: { callId, title }, transient: true }];
    }
    default:
      return [];
  }
}

function ignoredText({ workspace, wants }: EventOf<'trust:requested'>): string {
  return `The longhaul.yml of ${workspace} is not trusted, so this is ignored: ${wants.map(({ key }) => key).join(', ')}.`;
}

export function notice(message: string): UiChunk {
  return { type: 'data-notice', data: { message } };
}

export function toolOutput(
  { callId, success, sanitized }: EventOf<'llm:tool-result'>,
  wasDenied: boolean,
): UiChunk {
  if (wasDenied) return { type: 'tool-output-denied', toolCallId: callId };
  if (success) {
    return { type: 'tool-output-available', toolCallId: callId, output: outputOf(sanitized), dynamic: true };
  }
  return { type: 'tool-output-error', toolCallId: callId, errorText: textOf(sanitized), dynamic: true };
}

/** Reports a call of an answer that broke off. */
export function callNotRun(callId: string): UiChunk {
  const errorText = 'Not run: the answer broke off before the call was made.';
  return { type: 'tool-output-error', toolCallId: callId, errorText, dynamic: true };
}

/** Returns the text if there is only text, or else all parts. */
export function outputOf(content: readonly ToolOutputContent[]) {
  if (content.every(({ type }) => type === 'text')) return textOf(content);
  return content.map((part) => ({ ...part }));
}

export function textOf(content: readonly ToolOutputContent[]): string {
  return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}

export function toUiReason(reason: FinishReason | undefined): UiFinishReason {
  return reason === 'paused' ? 'other' : (reason ?? 'stop');
}
