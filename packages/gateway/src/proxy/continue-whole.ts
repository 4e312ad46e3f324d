import { LonghaulError } from '@longhaul/protocol';
import type { ObservedUsage } from '../compaction/types.ts';
import type { GatewayCore } from '../gateway-core.ts';
import { isUnknownWindow } from '../upstream/unknown-window.ts';
import { isRecord } from '../wire/is-record.ts';
import type { AnswerContinuer } from './answer-continuer.ts';
import type { WholeForm } from './answer-form.ts';
import type { TurnContext } from './turn-context.ts';
import { readWhole, type WholeAnswer } from './whole-answer.ts';

export interface WholeContinuation {
  form: WholeForm;
  usageOf: (answer: Record<string, unknown>) => ObservedUsage | undefined;
  context: TurnContext;
  continuer: AnswerContinuer;
}

/**
 * Continues a whole answer that ended because the window was full, until it ends by itself. An answer that the client
 * has limited, or that calls a tool, stays as it is.
 */
export async function continueWhole(
  core: Pick<GatewayCore, 'settings' | 'noteError'>,
  first: WholeAnswer,
  { form, usageOf, context, continuer }: WholeContinuation,
): Promise<WholeAnswer> {
  let answer = parsed(first.text);
  let usage = answer === undefined ? undefined : usageOf(answer);
  let isJoined = false;
  while (answer !== undefined && usage !== undefined && isCutByWindow(context, usage)) {
    const { text, reasoning, hasCall, end } = form.wholeFacts(answer);
    if (hasCall || end !== 'length') break;
    context.limit.noteWritten(usage.completionTokens ?? 0);
    const next = await continuer.continueOrEnd({ text, reasoning });
    if (next instanceof LonghaulError) {
      core.noteError(next, context.about);
      break;
    }
    const more = await readWhole(next, core.settings.maxBodyBytes);
    const json = more.isFailure ? undefined : parsed(more.text);
    if (json === undefined) break;
    answer = form.joined(answer, json);
    usage = usageOf(json);
    isJoined = true;
  }
  return isJoined ? { ...first, bytes: Buffer.from(JSON.stringify(answer)), without: BODY_HEADERS } : first;
}

/** Whether the window is nearly full, so that it and not the client's limit may have ended the answer. */
function isCutByWindow({ prepared, limit, mayContinue }: TurnContext, usage: ObservedUsage): boolean {
  if (prepared === undefined || !mayContinue || isUnknownWindow(prepared.request.windowTokens)) return false;
  const { promptTokens: inputTokens, completionTokens: outputTokens = 0 } = usage;
  if (limit.isReachedBy(outputTokens)) return false;
  prepared.manager.updateUsage({ inputTokens, outputTokens });
  return prepared.manager.isApproachingLimit();
}

/** Headers that no longer apply to a joined answer. */
const BODY_HEADERS = ['content-length', 'content-encoding', 'transfer-encoding'];

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    // Not JSON. It is passed on unchanged.
    return undefined;
  }
}
