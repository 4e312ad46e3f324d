import {
  type ApprovalRequest,
  type ApprovalService,
  type ApprovalVerdict,
  type Approver,
  type ApproverContext,
  interrupted,
  interruptionOf,
  type QuestionAnswer,
  type QuestionRequest,
} from '@longhaul/core';
import {
  type Approval,
  checkContent,
  type JsonObject,
  LonghaulError,
  QUESTION_TOOL,
  type Question,
} from '@longhaul/protocol';
import {
  type ApprovalRule,
  createJudge,
  type Judge,
  type JudgedCall,
  type Judgement,
  subjectsOf,
} from './approval-rules.ts';
import { type AskMode, defaultAction, readsOnly } from './default-action.ts';

export interface ApprovalSettings {
  /** The last matching rule decides. */
  rules: readonly ApprovalRule[];
  ask: AskMode;
  /** How long a request waits before it is refused. `null`: without limit. */
  timeoutMs: number | null;
}

export const ALLOW_BY_DEFAULT: ApprovalSettings = { rules: [], ask: 'deny', timeoutMs: null };

/**
 * After this many calls that nobody can approve, the run ends, unless a call of a tool other than a reading one was
 * allowed.
 */
const MAX_REFUSALS = 5;

interface SessionApproverOptions extends ApproverContext {
  settings: ApprovalSettings;
}

/**
 * Returns a factory of approvers for runs that follow these rules.
 *
 * @example new Runtime({ ...parts, approverFor: createApprovers(ALLOW_BY_DEFAULT) })
 */
export function createApprovers(settings: ApprovalSettings): (context: ApproverContext) => Approver {
  return (context) => new SessionApprover({ ...context, settings });
}

/**
 * Approves the calls of one run, by rules or by asking. A request is stored before its event is emitted. Its call has
 * not started then, so after a crash the same request is open again.
 */
class SessionApprover implements Approver {
  readonly #options: SessionApproverOptions;
  readonly #judge: Judge;
  /** Names of tools that were refused because nobody can answer. */
  readonly #refused: string[] = [];
  #hasGranted = false;

  constructor(options: SessionApproverOptions) {
    this.#options = options;
    this.#judge = createJudge(options.settings.rules);
  }

  async approve(request: ApprovalRequest): Promise<ApprovalVerdict> {
    const { settings, sandbox } = this.#options;
    const { workspacePath, toolFiles } = sandbox;
    const call = { ...request, workspacePath, realPath: (path: string) => toolFiles.resolve(path) };
    const judgement = await this.#judge(call, (isOutside) =>
      defaultAction({ ...request, isOutside }, sandbox.kind, settings.ask),
    );
    const verdict = await this.#verdict(request, call, judgement);
    if (verdict.allowed && !readsOnly(request)) this.#hasGranted = true;
    return verdict;
  }

  async ask({ callId, handle, question, signal, stopClock }: QuestionRequest): Promise<QuestionAnswer> {
    const { settings, writer, drain, service } = this.#options;
    if (settings.ask !== 'wait') return { isAnswered: false, reason: 'nobody can answer' };
    const args: JsonObject = JSON.parse(JSON.stringify(question));
    const requested = await writer.requestApproval({ callId, handle, toolName: QUESTION_TOOL, args });
    const ends = drain === undefined ? signal : AbortSignal.any([signal, drain]);
    const withinMs = settings.timeoutMs ?? undefined;
    const answered = await this.#answerTo(requested, { signal: ends, withinMs }, stopClock);
    if (answered.answeredAt !== undefined) return toAnswer(question, answered);
    // The server does not wait any longer.
    const reason = ends.aborted ? 'the run ended before an answer' : `nobody answered within ${withinMs} ms`;
    return toAnswer(question, await service.refuse(requested, reason));
  }

  failure({ isAtEnd }: { isAtEnd: boolean }): LonghaulError | undefined {
    const refusals = this.#refused.length;
    if (this.#hasGranted || refusals === 0 || (!isAtEnd && refusals < MAX_REFUSALS)) return undefined;
    const names = [...new Set(this.#refused)].join(', ');
    return new LonghaulError(
      'approval_denied',
      `Nothing could be approved: ${names} needs approval, and nobody can answer. Let a person answer, in a terminal or through a server (ask: wait), allow every call (ask: allow, --yes), or add a rule that allows this one (approvals in longhaul.yml).`,
      { data: { refusals } },
    );
  }

  async #verdict(request: ApprovalRequest, call: JudgedCall, judgement: Judgement): Promise<ApprovalVerdict> {
    const { settings, service, writer } = this.#options;
    if (judgement.action === 'allow') return { allowed: true };
    if (judgement.action === 'deny') return refusedByRule(judgement);
    if (settings.ask === 'allow') return { allowed: true };
    const earlier = await service.listRemembered(writer.lease.sessionId);
    const { sessionId } = writer.lease;
    const own = earlier.find((each) => each.sessionId === sessionId && each.handle === request.handle);
    if (own?.answeredAt !== undefined) return toVerdict(own);
    if (own === undefined && (await isRemembered(earlier, call, judgement))) return { allowed: true };
    return settings.ask === 'wait' ? this.#ask(request, own) : this.#refuse(request, own);
  }

  /** @param own The request for this call that an earlier run has left open. */
  async #ask(
    { callId, handle, toolName, input, isOfRunningCall = false, signal, stopClock }: ApprovalRequest,
    own: Approval | undefined,
  ): Promise<ApprovalVerdict> {
    const { settings, writer, drain } = this.#options;
    const requested = await writer.requestApproval({ callId, handle, toolName, args: input });
    const { timeoutMs } = settings;
    const withinMs = timeoutMs === null ? undefined : remainingMs(own, timeoutMs);
    const ends = drain === undefined ? signal : AbortSignal.any([signal, drain]);
    const approval = await this.#answerTo(requested, { signal: ends, withinMs }, stopClock);
    if (approval.answeredAt !== undefined) return toVerdict(approval);
    if (isOfRunningCall && ends.aborted) return this.#close(requested, 'the run ended before an answer');
    const interruption =
      interruptionOf(signal) ?? (ends.aborted && !signal.aborted ? interrupted() : undefined);
    if (interruption !== undefined) return { allowed: false, reason: interruption.message, waits: true };
    const reason = signal.aborted
      ? 'the run ended before an answer'
      : `nobody answered within ${timeoutMs} ms`;
    return this.#close(requested, reason);
  }

  async #answerTo(
    requested: Approval,
    options: Parameters<ApprovalService['waitForAnswer']>[1],
    stopClock: () => Disposable,
  ): Promise<Approval> {
    using _stopped = stopClock();
    return await this.#options.service.waitForAnswer(requested, options);
  }

  async #refuse({ toolName }: ApprovalRequest, own: Approval | undefined): Promise<ApprovalVerdict> {
    this.#refused.push(toolName);
    const reason = 'it needs approval, and nobody can answer';
    return own === undefined ? { allowed: false, reason: `${reason}. ${ADVICE}` } : this.#close(own, reason);
  }

  /** Refuses a request that no longer waits, so that nobody can answer it. An answer that came first wins. */
  async #close(request: Approval, reason: string): Promise<ApprovalVerdict> {
    return toVerdict(await this.#options.service.refuse(request, reason));
  }
}

const ADVICE = 'Find another way, or say what you need.';

function refusedByRule({ rule }: Judgement): ApprovalVerdict {
  const what = [rule?.tool, rule?.command, rule?.path, rule?.url]
    .filter((text) => text !== undefined)
    .join(' ');
  return { allowed: false, reason: `the approval rule for "${what}" denies it. ${ADVICE}` };
}

/**
 * The rest of the timeout. An earlier run has asked by the wall clock, which may have been set since, so the rest is
 * never longer than the timeout.
 */
function remainingMs(own: Approval | undefined, timeoutMs: number): number {
  if (own === undefined) return timeoutMs;
  return Math.max(0, Math.min(timeoutMs, own.requestedAt + timeoutMs - Date.now()));
}

function toAnswer(question: Question, { answer, reason, content }: Approval): QuestionAnswer {
  if (answer !== 'once' && answer !== 'always')
    return { isAnswered: false, reason: reason ?? 'the person declined' };
  const checked = checkContent(question, content);
  return checked.ok
    ? { isAnswered: true, content: checked.content }
    : { isAnswered: false, reason: checked.reason };
}

function toVerdict({ answer, reason }: Approval): ApprovalVerdict {
  if (answer === 'once' || answer === 'always') return { allowed: true };
  const said = reason === undefined || reason === '' ? 'it was not approved' : reason.replace(/\.$/, '');
  return { allowed: false, reason: `${said}. ${ADVICE}` };
}

/** Whether every subject has been approved with `always` in this session, or in another one of its family. */
async function isRemembered(
  earlier: readonly Approval[],
  call: JudgedCall,
  { subjects }: Judgement,
): Promise<boolean> {
  const remembered = await Promise.all(
    earlier
      .filter(({ answer, toolName }) => answer === 'always' && toolName === call.toolName)
      .map(({ args, toolName }) => subjectsOf({ ...call, toolName, input: args })),
  );
  const known = new Set(remembered.flat());
  return subjects.length > 0 && subjects.every((subject) => known.has(subject));
}
