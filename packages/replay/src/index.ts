export type {
  FileReport,
  NeedsTrace,
  RunReport,
  RunSpec,
  RunTrace,
  SessionFigures,
} from './backtest/backtest-types.ts';
export type { Tally } from './backtest/measures.ts';
export { baselineNames } from './backtest/methods.ts';
export {
  type BacktestOptions,
  type BacktestProgress,
  type BacktestReport,
  runBacktest,
} from './backtest/run-backtest.ts';
export { strategyNames } from './backtest/strategies.ts';
export { type MethodTotals, totalsOf } from './backtest/totals.ts';
export {
  type EventOptions,
  type EventStep,
  type SessionEvent,
  stepsOf,
  toEvents,
} from './events.ts';
export { renderPage } from './html/render-page.ts';
export { importSession, readSession, type SessionImport } from './importers/import-session.ts';
export type {
  ImportReport,
  RecordedCompaction,
  SessionFormat,
  Skipped,
  VisibleChars,
} from './importers/report.ts';
export type { ImportOptions } from './importers/session-reader.ts';
