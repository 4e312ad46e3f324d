import {
  type Budget,
  buildView,
  type ContextLog,
  computeBudget,
  countByClasses,
  createRequestMeter,
  memoizeCounter,
  type RequestMeter,
  type TokenCounter,
} from '@longhaul/context/engine';
import { type EventOf, LonghaulError, type LonghaulEvent, type Session } from '@longhaul/protocol';
import type { ModelInfo, Store, ToolSchema } from '../ports/index.ts';
import { findLastEvent } from '../session/events/find-last-event.ts';

/** Source of the window's size. */
export type WindowSource = 'given' | 'last-run' | 'model' | 'unknown';

/** The sizes by which requests of an idle session are measured. */
export interface SessionMeasure {
  count: TokenCounter;
  meter: RequestMeter;
  systemTokens: number;
  toolTokens: number;
  source: WindowSource;
  /** Absent if the window is unknown. */
  budget?: Budget;
}

export interface MeasureOptions {
  store: Store;
  tools: readonly ToolSchema[];
  systemText: (session: Session) => Promise<string>;
  /** Returns the facts of the session's model. May throw if the model is not configured. */
  modelInfo: () => Promise<ModelInfo>;
  /** Overrides the window of the last run and of the model. */
  windowTokens?: number | undefined;
}

/**
 * Measures a session by the values of its last run, including what it learned. Without a run, by its model, if that is
 * known.
 */
export async function measureSession(session: Session, options: MeasureOptions): Promise<SessionMeasure> {
  const count = memoizeCounter(countByClasses);
  const last = await findLastEvent(options.store, session.id, isUsage);
  const meter = createRequestMeter(count, last?.ratio, {
    returnsReasoning: () => last?.returnsReasoning === true,
    initialMediaRatio: last?.mediaRatio,
  });
  const systemTokens = last?.systemTokens ?? count(await options.systemText(session));
  const toolTokens = last?.toolTokens ?? count(JSON.stringify(options.tools));
  const { source, window } = await findWindow(last, options);
  const fixedTokens = systemTokens + toolTokens;
  const budget = window === undefined ? {} : { budget: computeBudget({ ...window, fixedTokens }) };
  return { count, meter, systemTokens, toolTokens, source, ...budget };
}

/** @throws {LonghaulError} `window_unknown` */
export function knownBudget({ budget }: SessionMeasure, session: Session): Budget {
  if (budget !== undefined) return budget;
  throw new LonghaulError(
    'window_unknown',
    `The size of the window is unknown: this session has not run yet, and its model ${session.model} is not configured. Configure the window of that model, or pass windowTokens, such as 32000.`,
  );
}

/** Returns the size of the next request if it were sent now. */
export function nextRequestTokens(
  log: ContextLog,
  { meter, systemTokens, toolTokens }: SessionMeasure,
): number {
  return meter.requestTokens(buildView(log), systemTokens + toolTokens);
}

interface Window {
  windowTokens: number;
  maxOutputTokens: number;
  reasoningTokens?: number | undefined;
}

async function findWindow(
  last: EventOf<'context:usage'> | undefined,
  { windowTokens, modelInfo }: MeasureOptions,
): Promise<{ source: WindowSource; window?: Window }> {
  const ofLastRun = last && {
    windowTokens: last.windowTokens,
    maxOutputTokens: last.maxOutputTokens ?? Math.max(1, last.windowTokens - last.usableTokens),
    reasoningTokens: last.reasoningTokens,
  };
  if (windowTokens !== undefined) {
    const maxOutputTokens = ofLastRun?.maxOutputTokens ?? Math.max(1, Math.floor(windowTokens / 4));
    return { source: 'given', window: { ...ofLastRun, windowTokens, maxOutputTokens } };
  }
  if (ofLastRun !== undefined) return { source: 'last-run', window: ofLastRun };
  try {
    return { source: 'model', window: await modelInfo() };
  } catch (error) {
    // The model is not configured, or its server is not running.
    if (error instanceof LonghaulError) return { source: 'unknown' };
    throw error;
  }
}

function isUsage(event: LonghaulEvent): event is EventOf<'context:usage'> {
  return event.type === 'context:usage';
}
