import { handleOf, isBlank, type Message, type TextPart } from '@longhaul/protocol';
import { isUserMessage } from '../log.ts';
import { ownCopy } from '../own-copy.ts';
import { answeredQuestion } from './answered-question.ts';
import { deliveredTasks, endedInBackground } from './background-facts.ts';
import { addToolCall } from './call-facts.ts';
import { addDone, addResult, resolveProgram } from './command-facts.ts';
import { addPatch } from './file-facts.ts';
import { splitPath } from './file-paths.ts';
import { sequenceOf } from './handle-sequence.ts';
import { instructionIn, isReviewPrompt } from './instruction-text.ts';
import { isCheck } from './is-check.ts';
import type { LedgerFold } from './ledger-facts.ts';
import { addNames } from './name-index.ts';
import { oneLine } from './one-line.ts';
import { isUnverified, NOTHING_RAN } from './piped-outcome.ts';
import { pointedAt } from './pointed-at.ts';
import { saidIn } from './said-note.ts';

/** Adds the session's next message to the fold. */
export function foldMessage(facts: LedgerFold, message: Message): void {
  const { sequence } = message;
  const isUser = isUserMessage(message);
  if (isUser) addInstruction(facts, message);
  for (const handle of endedInBackground(message)) facts.background.delete(handle);
  for (const handle of deliveredTasks(message)) facts.tasks.delete(handle);
  for (const [index, part] of message.parts.entries()) {
    if (part.type === 'tool') addToolCall(facts, part, sequence, index);
    else if (part.type === 'patch') addPatch(facts, part, sequence);
    else if (part.type === 'text') {
      addNames(facts.names, part.text, { source: isUser ? 'users' : 'texts', sequence });
      if (message.role === 'assistant' && !isBlank(part.text)) addSaid(facts, part.text, message);
    }
  }
}

/** The end of an answer in which is looked for what the user answers to. */
const ANSWERED_CHARS = 6_000;
/** A shorter text, such as `All tests pass.`, says too little of the work. */
const MIN_REPORT_CHARS = 40;

function addSaid(facts: LedgerFold, text: string, { sequence, parts }: Message): void {
  facts.said = ownCopy(text.slice(-ANSWERED_CHARS));
  const { note, result, intent } = saidIn(text);
  const handle = handleOf(sequence);
  addResult(facts, { handle, sequence, text: result });
  facts.intent = intent === '' ? undefined : { handle, sequence, text: intent };
  if (NOT_RUN.test(note)) judgeCheck(facts, sequence, false);
  else if (ALL_PASS.test(result)) judgeCheck(facts, sequence, true);
  if (REVERTED.test(result)) addReverted(facts, result);
  if (OLDER.test(text)) excuse(facts, handle);
  if (note.length >= MIN_REPORT_CHARS) {
    const endsTurn = parts.every(({ type }) => type !== 'tool');
    facts.report = { handle, sequence, text: note, endsTurn };
  }
}

const NOT_RUN =
  /\b(?:no (?:\w+ )?tests? (?:were |was )?|(?:not|never|n['’]t) (?:actually )?)(?:run|ran|executed?)\b/i;

const ALL_PASS = /\b(?:tests?|checks?|suite|build|lint)\b[^.]{0,40}\b(?:pass|passes|passed|green|clean)\b/i;

/** The model says of the check in the step before that it did not run, or that all of it passes. */
function judgeCheck(facts: LedgerFold, sequence: number, passes: boolean): void {
  const check = [...facts.commands.values()].findLast(({ program }) => isCheck(program));
  if (check === undefined || check.lastSequence < sequence - 2) return;
  if (passes && !isUnverified(check)) return;
  check.exitCode = undefined;
  check.ended = passes ? 'done' : NOTHING_RAN;
  if (passes) resolveProgram(facts, check.program);
}

const OLDER = /\bpre-?existing\b/i;

function excuse({ errors }: LedgerFold, handle: string): void {
  const newest = [...errors.values()].findLast(({ resolved }) => !resolved);
  if (newest !== undefined && sequenceOf(newest.handle) >= sequenceOf(handle) - 2) newest.excused = handle;
}

const REVERTED = /^(?:i(?:['’]ve| have)? )?(?:reverted|restored)\b/i;

/** A file that is as it was before is not changed. */
function addReverted({ files }: LedgerFold, said: string): void {
  for (const file of files.values()) {
    if (!said.includes(splitPath(file.path).name)) continue;
    for (const action of ['modified', 'created'] as const) file.actions.delete(action);
    delete file.changed;
  }
}

function addInstruction(facts: LedgerFold, message: Message): void {
  const written = message.parts
    .filter((part): part is TextPart => part.type === 'text')
    .map((part) => part.text)
    .join('\n');
  const text = instructionIn(written);
  // As the task of the session, a review is what the session is for.
  if (isBlank(text) || (facts.instructions.length > 0 && isReviewPrompt(text))) return;
  addNote(facts);
  const { said = '' } = facts;
  const answers = answeredQuestion(said, text);
  const about = pointedAt(said, text);
  facts.instructions.push({
    messageId: message.id,
    text,
    handle: handleOf(message.sequence),
    answers: answers && ownCopy(answers),
    about: about && ownCopy(about),
  });
  facts.turnStart = message.sequence;
  facts.results = [];
  facts.said = undefined;
  facts.intent = undefined;
}

const NOTE_CHARS = 200;

/** What the model said to be done in a turn, or reports after its last change, tells what it did. */
function addNote(facts: LedgerFold): void {
  const { report, results, lastChange, turnStart } = facts;
  const said = lastChange > turnStart ? [report, results.at(-1)] : [results.at(-1)];
  const note = said.find((each) => each !== undefined && each.sequence > Math.max(lastChange, turnStart));
  if (note === undefined) return;
  const { handle, sequence, text } = note;
  addDone(facts, { handle, sequence, kind: 'note', text: ownCopy(oneLine(text, NOTE_CHARS)) });
}
