import {
  activeMarks,
  type CompactOutcome,
  type CompressionStrategy,
  type ContextLog,
  compact,
  dueTokens,
  type LedgerKeeper,
  type Summarise,
  type SummariseByProvider,
} from '@longhaul/context/engine';
import { addUsage, LonghaulError, type Session, type TokenUsage, ZERO_USAGE } from '@longhaul/protocol';
import type { CompactionHooks } from '../executor/compaction-hooks.ts';
import { cancelledCompaction } from '../executor/run-errors.ts';
import type { CompressionSettings } from '../executor/window/context-window.ts';
import { recordCompaction } from '../executor/window/record-compaction.ts';
import { type LedgerSource, RunLedger } from '../executor/window/run-ledger.ts';
import { summariseByProvider } from '../executor/window/summarise-by-provider.ts';
import { summariseWith } from '../executor/window/summarise-with.ts';
import type { BlobStore, DriverFor, ModelDriver } from '../ports/index.ts';
import type { Tool } from '../ports/tool.ts';
import { shownSchemas } from '../ports/tool-set.ts';
import { newId } from '../session/ids.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { rangesOf } from './context-report.ts';
import { knownBudget, nextRequestTokens, type SessionMeasure } from './measure-session.ts';
import type { CompactionReport, CompactSessionResult } from './results.ts';

export interface SessionCompactorOptions {
  /** Returns the tools of a session's agent. */
  toolsFor: (session: Session) => Promise<readonly Tool[]>;
  /** Returns the settings of a session's agent. */
  compressionFor: (session: Session) => CompressionSettings;
  blobs: BlobStore;
  driverFor: DriverFor;
  /** Returns the driver that writes a session's narratives, or undefined for none. */
  summariserFor: (session: Session, signal: AbortSignal) => Promise<ModelDriver | undefined>;
  /** Returns a driver whose calls are counted for the session. */
  metered: (driver: ModelDriver, session: Session) => ModelDriver;
  /** Builds the system text of an idle session. */
  systemText: (session: Session) => Promise<string>;
  /** Calls its second argument with the hooks of a compaction between runs. Default: there are none. */
  withHooks?: (
    work: { session: Session; writer: SessionWriter; signal: AbortSignal },
    compact: (hooks: CompactionHooks | undefined) => Promise<CompactSessionResult>,
  ) => Promise<CompactSessionResult>;
}

export interface CompactionTask {
  session: Session;
  measure: SessionMeasure;
  strategy: CompressionStrategy;
  /** What the narrative keeps in particular. */
  focus?: string | undefined;
}

interface PlanOptions {
  ledger: LedgerKeeper;
  signal?: AbortSignal;
  summarise?: Summarise | undefined;
  summariseByProvider?: SummariseByProvider | undefined;
}

/** Makes manual compactions of an idle session. */
export class SessionCompactor {
  readonly #options: SessionCompactorOptions;

  constructor(options: SessionCompactorOptions) {
    this.#options = options;
  }

  /** Returns what a compaction would do. Calls no model and changes nothing. */
  async preview(source: LedgerSource, task: CompactionTask): Promise<CompactSessionResult> {
    const { log } = source;
    const outcome = await this.#plan(log, task, { ledger: await new RunLedger(source).open() });
    return outcome.status === 'exhausted'
      ? nothingOrThrow(outcome.error, log, task)
      : { status: 'preview', ...reportOf(outcome, log) };
  }

  /** @throws {LonghaulError} `context_exhausted`, `window_unknown`, `cancelled`. */
  async compact(
    writer: SessionWriter,
    task: CompactionTask,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<CompactSessionResult> {
    await writer.announce({ type: 'session:status', status: 'compacting' });
    const compact = (hooks?: CompactionHooks) => this.#compactWith(hooks, { writer, task, signal });
    const { withHooks } = this.#options;
    return withHooks === undefined
      ? await compact()
      : await withHooks({ session: task.session, writer, signal }, compact);
  }

  async #compactWith(
    hooks: CompactionHooks | undefined,
    { writer, task, signal }: { writer: SessionWriter; task: CompactionTask; signal: AbortSignal },
  ): Promise<CompactSessionResult> {
    const note = await hooks?.before('manual');
    let usage = ZERO_USAGE;
    const onUsage = (added: TokenUsage) => {
      usage = addUsage(usage, added);
    };
    const { summarise, warnings } = await this.#summariser(task.session, signal, onUsage);
    const byProvider = await this.#providerSummariser(task, signal, onUsage);
    const runLedger = new RunLedger(writer);
    const ledger = await runLedger.open();
    const options = { ledger, signal, summarise, summariseByProvider: byProvider };
    const outcome = await this.#plan(writer.log, task, options);
    if (signal.aborted) throw cancelledCompaction();
    if (outcome.status === 'exhausted') return nothingOrThrow(outcome.error, writer.log, task);
    const compacted = { ...outcome, warnings: [...warnings, ...outcome.warnings] };
    const report = reportOf(compacted, writer.log);
    const checkpoint = runLedger.checkpointIfDue();
    await recordCompaction(writer, compacted, { status: 'idle', ledger, checkpoint, note });
    await hooks?.after();
    return { status: 'compacted', ...report, ...(usage.totalTokens === 0 ? {} : { usage }) };
  }

  async #plan(
    log: ContextLog,
    { session, measure, strategy, focus }: CompactionTask,
    { ledger, signal, summarise, summariseByProvider }: PlanOptions,
  ): Promise<CompactOutcome> {
    const { compressionFor, toolsFor } = this.#options;
    const isProtected = (await toolsFor(session)).filter((tool) => tool.isProtected === true);
    return compact({
      log,
      budget: knownBudget(measure, session),
      meter: measure.meter,
      strategy,
      reason: 'manual',
      count: measure.count,
      ledgerShare: compressionFor(session).ledgerShare,
      ledger,
      protectedTools: new Set(isProtected.map(({ name }) => name)),
      newId,
      now: Date.now(),
      signal,
      summarise,
      summariseByProvider,
      focus,
    });
  }

  /** Undefined if the strategy does not use it, or if the session's model is not available. */
  async #providerSummariser(
    { session, strategy }: CompactionTask,
    signal: AbortSignal,
    onUsage: (usage: TokenUsage) => void,
  ): Promise<SummariseByProvider | undefined> {
    if (strategy.usesProvider !== true) return undefined;
    const { driverFor, metered, blobs, toolsFor, systemText } = this.#options;
    try {
      const driver = metered(await driverFor(session.model, signal), session);
      const system = await systemText(session);
      const tools = shownSchemas(await toolsFor(session), session.model);
      return summariseByProvider(driver, { blobs, system, tools, signal, onUsage });
    } catch (error) {
      // The summariser reports it.
      if (!(error instanceof LonghaulError)) throw error;
      return undefined;
    }
  }

  /** If the model cannot be reached, the compaction is made without a narrative. */
  async #summariser(
    session: Session,
    signal: AbortSignal,
    onUsage: (usage: TokenUsage) => void,
  ): Promise<{ summarise?: Summarise; warnings: string[] }> {
    const { summariserFor, metered, toolsFor, systemText } = this.#options;
    try {
      const driver = await summariserFor(session, signal);
      if (driver === undefined) return { warnings: [] };
      const system = await systemText(session);
      const tools = shownSchemas(await toolsFor(session), session.model);
      const options = { system, tools, signal, onUsage };
      return { summarise: summariseWith(metered(driver, session), options), warnings: [] };
    } catch (error) {
      if (!(error instanceof LonghaulError)) throw error;
      const reason = error.message.split('\n')[0];
      return {
        warnings: [`No narrative, because the session's model is not available: ${reason}`],
      };
    }
  }
}

/** If a compaction would save too little, returns `nothing` while the session fits, and throws otherwise. */
function nothingOrThrow(
  error: LonghaulError,
  log: ContextLog,
  { measure, strategy }: CompactionTask,
): CompactSessionResult {
  const tokens = nextRequestTokens(log, measure);
  const { budget } = measure;
  const fits =
    budget !== undefined &&
    tokens < Math.min(dueTokens({ marks: [] }, strategy, budget), budget.usableTokens);
  if (!fits) throw error;
  return { status: 'nothing', tokens };
}

function reportOf(
  { compaction, marks, warnings }: Extract<CompactOutcome, { status: 'compacted' }>,
  log: ContextLog,
): CompactionReport {
  const { hidden } = activeMarks(log.marks);
  const added = new Set(compaction.hides.filter((id) => !hidden.has(id)));
  const { strategy, round, tokensBefore, tokensAfter, summary } = compaction;
  return {
    strategy,
    round,
    tokensBefore,
    tokensAfter,
    hides: { count: added.size, ranges: rangesOf(log.messages.filter(({ id }) => added.has(id))) },
    pruned: marks.filter((mark) => mark.kind === 'prune').length,
    cut: marks.filter((mark) => mark.kind === 'cut').length,
    summary,
    warnings,
  };
}
