export {
  type AgainstRecorded,
  againstRows,
  type RecordedPoint,
  type RecordedTotals,
  recordedTotals,
} from './backtest/against-recorded.ts';
export type {
  FileReport,
  NeedsTrace,
  RunReport,
  RunSpec,
  RunTrace,
  SessionFigures,
} from './backtest/backtest-types.ts';
export { fileOfCall } from './backtest/facts.ts';
export { type FoundFiles, findSessionFiles } from './backtest/find-session-files.ts';
export { figuresOf } from './backtest/job-runner.ts';
export { type LoadedSession, type LoadOptions, loadSession } from './backtest/load-session.ts';
export type { Tally } from './backtest/measures.ts';
export type { MethodRun, MethodView, ReplayMethod, WindowOptions } from './backtest/method.ts';
export { baselineNames, createMethod } from './backtest/methods.ts';
export {
  type RecordedEvent,
  type RecordedSession,
  type RecordedStep,
  type Segment,
  segmentOf,
  tokensOf,
} from './backtest/recorded-session.ts';
export {
  isMeasured,
  type PreparedSession,
  prepareSession,
  type ReplayResult,
  replaySession,
} from './backtest/replay-session.ts';
export {
  type BacktestOptions,
  type BacktestProgress,
  type BacktestReport,
  runBacktest,
} from './backtest/run-backtest.ts';
export { isStrategyPath, strategyNames } from './backtest/strategies.ts';
export { type MethodTotals, totalsOf } from './backtest/totals.ts';
export { commandMethodName } from './backtest/view-command/command-method.ts';
export { type AgentPlace, agentPlaces } from './discover/agent-places.ts';
export { findOwnSessions, type OwnSession, type OwnSessions } from './discover/find-own-sessions.ts';
export {
  type EventOptions,
  type EventStep,
  type SessionEvent,
  stepsOf,
  toEvents,
} from './events.ts';
export { renderPage } from './html/render-page.ts';
export { importSession, readSession, type SessionImport } from './importers/import-session.ts';
export { partialProblem } from './importers/partial.ts';
export type {
  ImportReport,
  RecordedCompaction,
  SessionFormat,
  Skipped,
  Unread,
  VisibleChars,
} from './importers/report.ts';
export type { ImportOptions, RecordedPack } from './importers/session-reader.ts';
export {
  isOneOfSeveral,
  openSession,
  type SessionSource,
  sessionPaths,
  sessionSource,
} from './importers/session-source.ts';
export type { ProbeCount, ProbeTally } from './probes/ask-probes.ts';
export { PROBE_KINDS, type ProbeKind } from './probes/planted-details.ts';
export {
  CUT_CALL_SUFFIX,
  END_OF_RECORDING,
  playScript,
  SHORTENED_MARK,
} from './through-agent/play-script.ts';
export { playScriptUrl } from './through-agent/play-script-url.ts';
export {
  hasBytes,
  type LeftOut,
  mediaLine,
  type PlayedStep,
  type PlayedTurn,
  type PlayedUser,
  type RecordedPlay,
  recordedPlay,
} from './through-agent/recorded-play.ts';
