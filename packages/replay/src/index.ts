export {
  type EventOptions,
  type EventStep,
  type SessionEvent,
  stepsOf,
  toEvents,
} from './events.ts';
export { importSession, readSession, type SessionImport } from './importers/import-session.ts';
export type {
  ImportReport,
  RecordedCompaction,
  SessionFormat,
  Skipped,
  VisibleChars,
} from './importers/report.ts';
export type { ImportOptions } from './importers/session-reader.ts';
