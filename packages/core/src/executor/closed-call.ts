import type { EventPayload, ToolOutputContent, ToolPart } from '@longhaul/protocol';
import type { ToolResult } from '../ports/tool.ts';
import type { FittedResult } from './fit-result.ts';

interface ClosedCall {
  result: ToolResult;
  fitted: FittedResult;
  /** On the monotonic clock. Undefined if the tool never started. */
  durationMs: number | undefined;
}

/** Returns the part of a call with its result. A failure after an abort or by the stop of the program counts as an interruption. */
export function closePart(
  part: ToolPart,
  {
    result,
    fitted,
    handle,
    durationMs,
    isInterrupted,
  }: ClosedCall & { handle: string; isInterrupted: boolean },
): ToolPart {
  const isError = result.isError === true;
  return {
    ...part,
    state: isInterrupted && isError ? 'interrupted' : isError ? 'error' : 'completed',
    output: fitted.content,
    endedAt: (part.startedAt ?? Date.now()) + (durationMs ?? 0),
    ...(result.title === undefined ? {} : { title: result.title }),
    ...(isError ? { error: firstText(fitted.content) } : {}),
    ...(result.metadata === undefined ? {} : { metadata: result.metadata }),
    ...(fitted.fullOutput === undefined ? {} : { truncated: true, handle, fullOutput: fitted.fullOutput }),
  };
}

export function resultEvent(
  { name, callId, handle }: ToolPart,
  { result, fitted, durationMs, addsRaw }: ClosedCall & { addsRaw: boolean },
): EventPayload {
  return {
    type: 'llm:tool-result',
    toolName: name,
    callId,
    success: result.isError !== true,
    sanitized: fitted.content,
    rawResult: addsRaw ? rawResult(result, fitted) : undefined,
    title: result.title,
    metadata: result.metadata,
    durationMs,
    ...(fitted.fullOutput === undefined ? {} : { truncated: true, handle }),
  };
}

/** The tool's texts as they were returned. Media are those that were stored, so that an event has no bytes of them. */
function rawResult({ content }: ToolResult, fitted: FittedResult): ToolOutputContent[] {
  const media = fitted.content.filter(({ type }) => type !== 'text');
  return [...content.filter(({ type }) => type === 'text'), ...media];
}

function firstText(content: readonly ToolOutputContent[]): string {
  const part = content.find((candidate) => candidate.type === 'text');
  return part?.type === 'text' ? part.text.slice(0, 2_000) : 'failed';
}
