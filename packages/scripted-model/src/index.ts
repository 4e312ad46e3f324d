export type { JournalLine } from './disk-journal.ts';
export type { Fault } from './fault.ts';
export type { RequestOutcome, RequestRecord, ScriptedModelStats } from './journal.ts';
export {
  type AnsweredCall,
  hasToolCall,
  lastUserText,
  textOf,
  toolResults,
  userTexts,
} from './messages.ts';
export type { OverflowManner, PersonaName } from './persona/persona.ts';
export {
  createPersonaServer,
  type PersonaServer,
  type PersonaServerOptions,
} from './persona/persona-server.ts';
export {
  type ScriptedModelProcess,
  type ScriptedModelProcessOptions,
  startScriptedModelProcess,
} from './process.ts';
export { MEDIA_TOKENS } from './prompt-counter.ts';
export type { RandomFaultOptions } from './random-faults.ts';
export { type AnswerFormat, type RecordedAnswer, readRecordedAnswers } from './recorded/recorded-answers.ts';
export {
  createRecordedServer,
  type RecordedServer,
  type RecordedServerOptions,
} from './recorded/recorded-server.ts';
export {
  inOrder,
  type Script,
  type ScriptAnswer,
  type ScriptReply,
  type ScriptRequest,
  type ScriptToolCall,
} from './script.ts';
export { type Random, seededRandom } from './seeded-random.ts';
export {
  createScriptedModelServer,
  type ScriptedModelServer,
  type ScriptedModelServerOptions,
} from './server.ts';
export { toChatRequest } from './wire/wires.ts';
