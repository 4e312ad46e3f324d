import { LonghaulError } from '@longhaul/protocol';
import { minAnswerRoom } from '../compaction/output-room.ts';
import type { ObservedUsage } from '../compaction/types.ts';
import type { GatewayCore } from '../gateway-core.ts';
import { windowSetting } from '../status/gateway-stats.ts';
import type { Route } from '../upstream/router.ts';
import { isUnknownWindow } from '../upstream/unknown-window.ts';
import type { TurnContext } from './turn-context.ts';

/** From this share of the window on, the window is queried again after each answer. */
const NEAR = 0.4;
/** Below this share of the reported window, no prompt can have been cut. */
const CUT_FROM = 0.7;

/** Learns about the window from the upstream's answers to one request, and decides whether to send it again. */
export class TurnLessons {
  readonly #core: GatewayCore;
  readonly #context: TurnContext;

  constructor(core: GatewayCore, context: TurnContext) {
    this.#core = core;
    this.#context = context;
  }

  /** Whether the request was refused as too long, and it or its answer is smaller now, so that it can be sent again. */
  async canRetry(error: LonghaulError): Promise<boolean> {
    const { upstream, model } = this.#route;
    // After any error the model may have been reloaded with another window.
    if (this.#core.windows.known(upstream, model) === undefined) this.#core.windows.doubt(upstream);
    else this.#core.windows.renew(upstream, model);
    const wasAlone = this.#context.isAlone;
    if (!(await this.learnOverflow(error))) return false;
    const window = this.#core.windows.known(upstream, model);
    if (window === undefined) throw this.#windowNeeded(error);
    if (this.#context.isAlone && !wasAlone) return true;
    const { windowTokens, requestTokens } = sizesIn(error);
    const promptTokens = requestTokens ?? this.#context.prepared?.estimatedTokens ?? Number.POSITIVE_INFINITY;
    const hasSizes = windowTokens !== undefined || requestTokens !== undefined;
    if (this.#context.limit[hasSizes ? 'lower' : 'shorten']({ window, promptTokens })) return true;
    return this.#context.compactAgain({ windowTokens, requestTokens });
  }

  /** After a refusal without sizes of a request that fits, by a server with several slots: others take the room. */
  #noteFullWindow(): void {
    const { upstream, model } = this.#route;
    const { windowTokens } = this.#core.windows.known(upstream, model) ?? {};
    const { estimatedTokens } = this.#context.prepared ?? {};
    if (this.#context.isAlone || windowTokens === undefined || estimatedTokens === undefined) return;
    if (!this.#core.sharedWindows.mayBeFull(upstream, model)) return;
    if (estimatedTokens + minAnswerRoom(windowTokens) > windowTokens) return;
    upstream.sharesWindow = true;
    this.#context.isAlone = true;
    const message =
      'Other requests took the room of this one in the window that the slots of the server share. Repeating it when they have ended.';
    this.#context.log({ level: 'warn', code: 'context_overflow', message });
  }

  /** Learns the window from an error. Returns whether the error was a refusal as too long. */
  async learnOverflow(error: LonghaulError): Promise<boolean> {
    if (error.code !== 'context_overflow') return false;
    const { upstream, model } = this.#route;
    this.#context.stats.overflows += 1;
    const { windowTokens, requestTokens } = sizesIn(error);
    if (windowTokens === undefined && requestTokens === undefined) this.#noteFullWindow();
    if (windowTokens === undefined) await this.#core.windows.refresh(upstream, model);
    else await this.#core.windows.learn(upstream, model, { windowTokens, source: 'an overflow error' });
    return true;
  }

  /** Learns from reported usage. Returns whether the upstream has silently cut the prompt. */
  async learnFrom(usage: ObservedUsage): Promise<boolean> {
    if (this.#context.prepared === undefined) return false;
    const { upstream, model } = this.#route;
    const observation = this.#context.conversations.observe(this.#context.prepared, usage);
    if (observation.verdict === 'as-expected') return false;
    const { estimatedTokens } = this.#context.prepared;
    const known = (await this.#core.windows.refresh(upstream, model))?.windowTokens;
    // With room in the window nothing is cut, so the server counts tokens differently.
    const reported = this.#core.windows.reported(upstream, model);
    if (reported !== undefined && estimatedTokens < reported * CUT_FROM) return false;
    this.#context.stats.silentCuts += 1;
    // A new report may explain it: the model has been loaded or reloaded since.
    const isExplained = known !== undefined && known < estimatedTokens;
    const windowTokens = isExplained ? known : observation.windowTokens;
    const source = 'a prompt that was cut silently';
    if (!isExplained) await this.#core.windows.learn(upstream, model, { windowTokens, source });
    this.#context.log({
      level: 'warn',
      code: 'context_overflow',
      message: `The upstream read only ${usage.promptTokens} of about ${estimatedTokens} tokens: it dropped the beginning without an error. Its window seems to be ${windowTokens} tokens.`,
    });
    return true;
  }

  /**
   * Queries the window in the background after an answer: if it is unknown, since this request may have loaded the
   * model, and if the next request may need compaction.
   */
  renewWindow(): void {
    if (this.#context.prepared === undefined) return;
    const { estimatedTokens, request } = this.#context.prepared;
    if (!isUnknownWindow(request.windowTokens) && estimatedTokens < request.windowTokens * NEAR) return;
    this.#core.windows.renew(this.#route.upstream, this.#route.model);
  }

  #windowNeeded(cause: LonghaulError): LonghaulError {
    const { upstream, model } = this.#context.about;
    return new LonghaulError(
      'window_unknown',
      `This conversation is too long for ${model} at ${upstream} and must be compacted, but the window is unknown: the server does not report it. Set ${windowSetting(upstream, model)} in longhaul.yml. ${cause.message}`,
      { cause },
    );
  }

  get #route(): Route {
    return this.#context.route;
  }
}

function sizesIn({ data }: LonghaulError): { windowTokens?: number; requestTokens?: number } {
  const { windowTokens, requestTokens } = data;
  return {
    windowTokens: typeof windowTokens === 'number' ? windowTokens : undefined,
    requestTokens: typeof requestTokens === 'number' ? requestTokens : undefined,
  };
}
