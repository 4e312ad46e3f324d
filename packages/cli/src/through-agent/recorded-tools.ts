import type { Tool, ToolResult } from '@longhaul/core';
import type { ToolOutputContent, ToolPart } from '@longhaul/protocol';
import { hasBytes, mediaLine, type RecordedPlay } from '@longhaul/replay';

/**
 * The tools that the recording uses, whatever their names: each takes any arguments and returns the result that was
 * recorded for the call of this id.
 *
 * @param onCall Awaited before the result of a call is returned.
 */
export function recordedTools(play: RecordedPlay, onCall: (callId: string) => Promise<void>): Tool[] {
  const calls = new Map(play.steps.flatMap((step) => step.calls.map((call) => [call.callId, call] as const)));
  const names = new Set([...calls.values()].map((call) => call.name));
  return [...names].map((name) => ({
    name,
    schema: {
      name,
      description: 'A tool of the recorded session.',
      parameters: { type: 'object', additionalProperties: true },
    },
    parse: (input) => ({ ok: true, input }),
    async execute(_input, { callId }) {
      await onCall(callId);
      const call = calls.get(callId);
      return call === undefined ? failed(`The recording has no call ${callId}.`) : recordedResult(call);
    },
  }));
}

const NOT_RECORDED = '[The recording has no result for this call.]';

export function recordedResult(call: ToolPart): ToolResult {
  if (call.output === undefined) return failed(call.error ?? NOT_RECORDED);
  return {
    content: recordedContent(call.output),
    title: call.title,
    ...(call.state === 'completed' ? {} : { isError: true }),
  };
}

function failed(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function recordedContent(output: readonly ToolOutputContent[]): ToolOutputContent[] {
  return output.map((content) =>
    hasBytes(content)
      ? content
      : { type: 'text', text: mediaLine('mediaType' in content ? content.mediaType : undefined) },
  );
}
