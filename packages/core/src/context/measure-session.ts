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
} from '@longhaul/context';
import { type EventOf, LonghaulError, type LonghaulEvent, type Session } from '@longhaul/protocol';
import type { ModelInfo, Store, ToolSchema } from '../ports/index.ts';
import { findLastEvent } from '../session/events/find-last-event.ts';

/** Where the window's size comes from. */
export type WindowSource = 'given' | 'last-run' | 'model' | 'unknown';

/** How the requests of a session are measured while nothing runs. */
export interface SessionMeasure {
  count: TokenCounter;
  meter: RequestMeter;
  systemTokens: number;
  toolTokens: number;
  source: WindowSource;
  /** Absent when the window is not known. */
  budget?: Budget;
}

export interface MeasureOptions {
  store: Store;
  tools: readonly ToolSchema[];
  systemText: (session: Session) => Promise<string>;
  /** Facts of the session's model. It may throw, for a model that is not configured here. */
  modelInfo: () => Promise<ModelInfo>;
  /** Wins over what the last run and the model say. */
  windowTokens?: number | undefined;
}

/** As the last run measured it, what it had learned included; a session that never ran is measured by its model, if that is known. */
export async function measureSession(session: Session, options: MeasureOptions): Promise<SessionMeasure> {
  const count = memoizeCounter(countByClasses);
  const last = await findLastEvent(options.store, session.id, isUsage);
  const meter = createRequestMeter(count, last?.ratio);
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
    `How large is the window? This session has not run here, and its model ${session.model} is not known here. Give its size: --window 32000.`,
  );
}

/** Of the next request, if it left now. */
export function nextRequestTokens(
  log: ContextLog,
  { meter, systemTokens, toolTokens }: SessionMeasure,
): number {
  return meter.requestTokens(buildView(log), systemTokens + toolTokens);
}

interface Window {
  windowTokens: number;
  maxOutputTokens: number;
}

async function findWindow(
  last: EventOf<'context:usage'> | undefined,
  { windowTokens, modelInfo }: MeasureOptions,
): Promise<{ source: WindowSource; window?: Window }> {
  const ofLastRun = last && {
    windowTokens: last.windowTokens,
    maxOutputTokens: last.maxOutputTokens ?? Math.max(1, last.windowTokens - last.usableTokens),
  };
  if (windowTokens !== undefined) {
    const maxOutputTokens = ofLastRun?.maxOutputTokens ?? Math.max(1, Math.floor(windowTokens / 4));
    return { source: 'given', window: { windowTokens, maxOutputTokens } };
  }
  if (ofLastRun !== undefined) return { source: 'last-run', window: ofLastRun };
  try {
    return { source: 'model', window: await modelInfo() };
  } catch (error) {
    // A model that is not configured here, or whose server does not run: then the window is not known.
    if (error instanceof LonghaulError) return { source: 'unknown' };
    throw error;
  }
}

function isUsage(event: LonghaulEvent): event is EventOf<'context:usage'> {
  return event.type === 'context:usage';
}
