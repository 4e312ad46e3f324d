export { alwaysRules } from './always-rules.ts';
export {
  type ApprovalAction,
  type ApprovalRule,
  createJudge,
  subjectsOf,
  subjectText,
} from './approval-rules.ts';
export type { AskMode } from './default-action.ts';
export { ALLOW_BY_DEFAULT, type ApprovalSettings, createApprovers } from './session-approver.ts';
export type { ParsedCommand, ParsedLine } from './shell-line.ts';
